package dynaotel_test

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/otlptranslator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/embedded"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/observe/measure"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
)

// Prometheus and the OpenTelemetry collector translate the names of the metrics to those of the dashboard.
func TestNamesInPrometheus(t *testing.T) {
	t.Parallel()
	metrics := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	var labels otlptranslator.LabelNamer
	kinds := map[measure.Kind]otlptranslator.MetricType{
		measure.Counter: otlptranslator.MetricTypeMonotonicCounter, measure.Histogram: otlptranslator.MetricTypeHistogram,
		measure.Gauge: otlptranslator.MetricTypeGauge,
	}
	for _, m := range dynaotel.Metrics() {
		name, err := metrics.Build(otlptranslator.Metric{Name: m.Name, Unit: m.Unit, Type: kinds[m.Kind]})
		require.NoError(t, err)
		assert.Equal(t, name, m.Prometheus())
		for _, a := range m.Attributes {
			label, err := labels.Build(a)
			require.NoError(t, err)
			assert.Equal(t, label, measure.PrometheusLabel(a))
		}
	}
}

// Every metric of the list is an instrument with its kind, unit and description.
func TestInstruments(t *testing.T) {
	t.Parallel()
	observer, saw := observe(t, dynaotel.Options{})
	ctx, end := observer.Begin(t.Context(), "bookings.Cancel")
	observer.Request(ctx, dynastay.Call{
		Operation: "PutItem", Verdict: dynastay.Conflict, Attempt: 2, Usage: []dynastay.Usage{{Table: "Users", WriteUnits: 1}},
		Throttles: []dynastay.Throttle{{Table: "Users"}},
	})
	observer.Request(ctx, dynastay.Call{Operation: "PutItem", Verdict: dynastay.Lost, Attempt: 3})
	end(dynastay.Ended{Settled: dynastay.Unsettled, Waits: []dynastay.Wait{{}}})
	observer.OverdueHolds(t.Context(), 3)
	handleOne(t, observer)
	var data metricdata.ResourceMetrics
	require.NoError(t, saw.reader.Collect(t.Context(), &data))
	found := map[string]metricdata.Metrics{}
	for _, scope := range data.ScopeMetrics {
		assert.Equal(t, "github.com/dynastay/dynastay/observe/otel", scope.Scope.Name)
		assert.Equal(t, dynaotel.Conventions, scope.Scope.SchemaURL)
		for _, m := range scope.Metrics {
			found[m.Name] = m
		}
	}
	assert.Len(t, found, len(dynaotel.Metrics()))
	for _, m := range dynaotel.Metrics() {
		got := found[m.Name]
		assert.Equal(t, m.Unit, got.Unit, m.Name)
		assert.Equal(t, m.Description, got.Description, m.Name)
		switch data := got.Data.(type) {
		case metricdata.Sum[float64]:
			assert.Equal(t, measure.Counter, m.Kind, m.Name)
			assert.True(t, data.IsMonotonic)
		case metricdata.Gauge[float64]:
			assert.Equal(t, measure.Gauge, m.Kind, m.Name)
		case metricdata.Histogram[float64]:
			assert.Equal(t, measure.Histogram, m.Kind, m.Name)
			assert.Equal(t, m.Buckets, data.DataPoints[0].Bounds)
		default:
			assert.Fail(t, "there is no metric "+m.Name)
		}
	}
	assert.Equal(t, 1.0, saw.sum("OutcomesUnknown"))
	assert.Equal(t, 3.0, saw.sum("OverdueHolds"))
}

// An exemplar of a request's duration leads to the span of the request, and one of an operation's to that of the operation.
func TestExemplars(t *testing.T) {
	t.Parallel()
	observer, saw := observe(t, dynaotel.Options{})
	ctx, end := observer.Begin(t.Context(), "users.Get")
	observer.Request(ctx, dynastay.Call{Operation: "GetItem", Verdict: dynastay.Done, Attempt: 1, Duration: time.Second})
	end(dynastay.Ended{Duration: 2 * time.Second})
	var data metricdata.ResourceMetrics
	require.NoError(t, saw.reader.Collect(t.Context(), &data))
	leadsTo := map[string]string{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		if h, ok := m.Data.(metricdata.Histogram[float64]); ok {
			require.Len(t, h.DataPoints[0].Exemplars, 1)
			id := trace.SpanID(h.DataPoints[0].Exemplars[0].SpanID)
			for _, s := range saw.all() {
				if s.SpanContext.SpanID() == id {
					leadsTo[m.Name] = s.Name
				}
			}
		}
	}
	assert.Equal(t, map[string]string{"db.client.operation.duration": "GetItem", "dynastay.operation.duration": "users.Get"}, leadsTo)
}

// Without providers, the global ones are used.
func TestGlobalProviders(t *testing.T) {
	before := otel.GetMeterProvider()
	defer otel.SetMeterProvider(before)
	otel.SetMeterProvider(refusing{})
	_, err := dynaotel.New(dynaotel.Options{})
	assert.ErrorIs(t, err, errRefused)
	assert.ErrorContains(t, err, "metric db.client.operation.duration: ")
}

var errRefused = errors.New("no histograms")

// refusing is a meter provider that makes no histograms.
type refusing struct{ embedded.MeterProvider }

func (refusing) Meter(string, ...metric.MeterOption) metric.Meter { return refusingMeter{} }

type refusingMeter struct{ noop.Meter }

func (refusingMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return nil, errRefused
}
