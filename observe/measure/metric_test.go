package measure_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/observe/measure"
	"github.com/dynastay/dynastay/provision/template"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	var names, alarms []string
	for _, m := range measure.Metrics() {
		assert.NotContains(t, names, m.Name)
		names = append(names, m.Name)
		assert.LessOrEqual(t, len(m.Attributes), len(measure.Labels{}), m.Name)
		assert.Equal(t, m.Kind == measure.Histogram, m.Buckets != nil, m.Name)
		assert.True(t, slices.IsSorted(m.Buckets), m.Name)
		assert.Contains(t, []measure.Kind{measure.Counter, measure.Histogram, measure.Gauge}, m.Kind, m.Name)
		assert.True(t, m.Unit == "s" || regexp.MustCompile(`^\{[a-z]+\}$`).MatchString(m.Unit), m.Name)
		assert.Regexp(t, `^[A-Z].*\.$`, m.Description)
		for _, a := range m.Attributes {
			assert.NotRegexp(t, `(^|[._])(id|key|write|message)$`, a, m.Name)
		}
		if !strings.Contains(m.Name, ".") {
			alarms = append(alarms, m.Name)
			assert.Empty(t, m.Attributes, "the alarm %s has no dimensions", m.Name)
		}
	}
	assert.Equal(t, template.Metrics(), alarms)
}

// The page has what the instruments are made of.
func TestTableOfMetrics(t *testing.T) {
	t.Parallel()
	var rows [][]string
	for _, m := range measure.Metrics() {
		code := func(s string) string { return "`" + s + "`" }
		var attributes []string
		for _, a := range m.Attributes {
			attributes = append(attributes, code(a))
		}
		rows = append(rows, []string{code(m.Name), code(m.Prometheus()), string(m.Kind), code(m.Unit), strings.Join(attributes, ", "), m.Description})
	}
	page.Section(t, "docs/observing.md", "metrics", page.Table([]string{"OpenTelemetry", "Prometheus", "kind", "unit", "attributes", "what it is"}, rows))
}
