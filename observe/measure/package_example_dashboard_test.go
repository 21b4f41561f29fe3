package measure_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/observe/measure"
)

// panel is one of the dashboard: a metric, by some of its attributes.
type panel struct {
	title, metric string
	by            []string
	quantile      float64 // of a histogram; 0 is how many values a second
}

// rows are what the dashboard shows, from what somebody is called for to what explains it.
var rows = []struct {
	title  string
	panels []panel
}{
	{"What rings", []panel{
		{"Outcomes unknown", "OutcomesUnknown", nil, 0},
		{"Oldest record", "OldestRecordAge", nil, 0},
		{"Dead letters", "DeadLetters", nil, 0},
		{"Overdue holds", "OverdueHolds", nil, 0},
	}},
	{"Operations", []panel{
		{"Operations", "dynastay.operation.duration", []string{"dynastay.operation"}, 0},
		{"Operations, by error type", "dynastay.operation.duration", []string{"error.type"}, 0},
		{"Duration, median", "dynastay.operation.duration", []string{"dynastay.operation"}, 0.5},
		{"Duration, 99th percentile", "dynastay.operation.duration", []string{"dynastay.operation"}, 0.99},
	}},
	{"Requests and units", []panel{
		{"Requests, by verdict", "dynastay.requests", []string{"dynastay.verdict"}, 0},
		{"Requests, by operation", "dynastay.requests", []string{"dynastay.operation"}, 0},
		{"Units, by table", "dynastay.consumed_units", []string{"dynastay.table", "dynastay.index", "dynastay.direction"}, 0},
		{"Units, by operation", "dynastay.consumed_units", []string{"dynastay.operation", "dynastay.direction"}, 0},
		{"Request, 99th percentile", "db.client.operation.duration", []string{"db.operation.name"}, 0.99},
		{"Requests, by error type", "db.client.operation.duration", []string{"error.type"}, 0},
	}},
	{"Contention and faults", []panel{
		{"Conflicts", "dynastay.conflicts", []string{"dynastay.operation"}, 0},
		{"Retries", "dynastay.retries", []string{"dynastay.operation"}, 0},
		{"Throttles", "dynastay.throttles", []string{"dynastay.reason", "dynastay.table", "dynastay.index"}, 0},
		{"Lost answers, by how they were settled", "dynastay.lost_answers", []string{"dynastay.settled"}, 0},
		{"Operations that queued for an item", "dynastay.gate.wait.duration", []string{"dynastay.table"}, 0},
		{"Queueing, 99th percentile", "dynastay.gate.wait.duration", []string{"dynastay.table"}, 0.99},
	}},
	{"Streams", []panel{
		{"Records", "dynastay.record.duration", []string{"dynastay.table", "error.type"}, 0},
		{"Record, 99th percentile", "dynastay.record.duration", []string{"dynastay.table"}, 0.99},
	}},
}

// object is a JSON object.
type object = map[string]any

// query returns the PromQL of a panel, its unit, and the legend of its lines.
func (p panel) query(m *measure.Metric) (query, unit, legend string) {
	var by, labels []string
	for _, a := range p.by {
		label := measure.PrometheusLabel(a)
		by = append(by, label)
		labels = append(labels, "{{"+label+"}}")
	}
	name, legend := m.Prometheus(), strings.Join(labels, " ")
	of := func(more ...string) string {
		if all := append(more, by...); len(all) > 0 {
			return "sum by (" + strings.Join(all, ", ") + ") "
		}
		return "sum "
	}
	switch {
	case m.Kind == measure.Gauge && m.Unit == "s":
		return "max(" + name + ")", "s", "oldest"
	case m.Kind == measure.Gauge:
		return "max(" + name + ")", "short", "most"
	case p.quantile > 0:
		return fmt.Sprintf("histogram_quantile(%v, %s(rate(%s_bucket[$__rate_interval])))", p.quantile, of("le"), name), "s", legend
	case m.Kind == measure.Histogram:
		return of() + "(rate(" + name + "_count[$__rate_interval]))", "ops", legend
	case len(m.Attributes) == 0: // an alarm counts what happened, however seldom
		return "sum (increase(" + name + "[$__range]))", "short", "all"
	}
	return of() + "(rate(" + name + "[$__rate_interval]))", "ops", legend
}

// dashboard returns the whole dashboard.
func dashboard(t *testing.T) object {
	t.Helper()
	var all []object
	y, id := 0, 0
	add := func(o object, height, width, x int) {
		id++
		o["id"], o["gridPos"] = id, object{"h": height, "w": width, "x": x, "y": y}
		all = append(all, o)
	}
	source := object{"type": "prometheus", "uid": "${source}"}
	for _, row := range rows {
		add(object{"type": "row", "title": row.title, "collapsed": false, "panels": []object{}}, 1, 24, 0)
		y++
		for i, p := range row.panels {
			m := metric(t, p.metric)
			query, unit, legend := p.query(m)
			kind, height, width := "timeseries", 8, 12
			if len(m.Attributes) == 0 {
				kind, height, width = "stat", 4, 6
			}
			x := i * width % 24
			if i > 0 && x == 0 {
				y += height
			}
			add(object{
				"type": kind, "title": p.title, "description": m.Description, "datasource": source,
				"fieldConfig": object{"defaults": object{"unit": unit, "min": 0}, "overrides": []object{}},
				"targets":     []object{{"refId": "A", "datasource": source, "expr": query, "legendFormat": legend}},
			}, height, width, x)
			if i == len(row.panels)-1 {
				y += height
			}
		}
	}
	return object{
		"title": "dynastay", "uid": "dynastay", "tags": []string{"dynastay", "dynamodb"}, "schemaVersion": 39, "editable": true, "refresh": "1m",
		"time": object{"from": "now-6h", "to": "now"}, "panels": all,
		"templating": object{"list": []object{{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}}},
	}
}

func metric(t *testing.T, name string) *measure.Metric {
	t.Helper()
	for _, m := range measure.Metrics() {
		if m.Name == name {
			return m
		}
	}
	require.Fail(t, "there is no metric "+name)
	return nil
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	made, err := json.MarshalIndent(dashboard(t), "", "  ")
	require.NoError(t, err)
	file := filepath.Join(page.Root(t), "docs/grafana/dashboard.json")
	if page.Updating() {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, append(made, '\n'), 0o644))
	}
	known, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(made)+"\n", string(known), "make docs updates the dashboard")

	// What is in the file: every query is of a metric that exists, by attributes that it has, and every metric is shown.
	var read struct {
		Panels []struct {
			Title, Type string
			Targets     []struct{ Expr, LegendFormat string }
			GridPos     struct{ X, Y, W, H int }
		}
	}
	require.NoError(t, json.Unmarshal(known, &read))
	metrics, shown := map[string]*measure.Metric{}, map[string]bool{}
	for _, m := range measure.Metrics() {
		name := m.Prometheus()
		metrics[name] = m
		if m.Kind == measure.Histogram {
			delete(metrics, name) // it has no series of its own
			metrics[name+"_bucket"], metrics[name+"_count"] = m, m
		}
	}
	words := []string{"sum", "by", "max", "rate", "increase", "histogram_quantile", "le", "$__rate_interval", "$__range"}
	taken := map[[2]int]string{}
	for _, p := range read.Panels {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				assert.Empty(t, taken[[2]int{x, y}], "%s is over another panel", p.Title)
				taken[[2]int{x, y}] = p.Title
				assert.Less(t, x, 24)
			}
		}
		assert.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		for _, target := range p.Targets {
			var of *measure.Metric
			var labels []string
			for _, word := range regexp.MustCompile(`[$A-Za-z_][A-Za-z0-9_]*`).FindAllString(target.Expr, -1) {
				switch {
				case slices.Contains(words, word):
				case metrics[word] != nil:
					assert.Nil(t, of, "one metric in a query")
					of = metrics[word]
				default:
					labels = append(labels, word)
				}
			}
			if !assert.NotNil(t, of, target.Expr) {
				continue
			}
			shown[of.Name] = true
			for _, label := range labels {
				assert.True(t, slices.ContainsFunc(of.Attributes, func(a string) bool { return measure.PrometheusLabel(a) == label }),
					"%s has no attribute %s", of.Name, label)
				assert.Contains(t, target.LegendFormat, "{{"+label+"}}")
			}
			assert.Equal(t, strings.Count(target.Expr, "("), strings.Count(target.Expr, ")"))
		}
	}
	for _, m := range measure.Metrics() {
		assert.True(t, shown[m.Name], "%s is on no panel", m.Name)
	}
}
