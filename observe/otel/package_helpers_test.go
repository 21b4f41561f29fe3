package dynaotel_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	dynaotel "github.com/dynastay/dynastay/observe/otel"
)

// seen is what an observer has reported.
type seen struct {
	t      testing.TB
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
	meters *metric.MeterProvider
}

// observe returns an observer, and what it reports.
func observe(t testing.TB, opts dynaotel.Options) (*dynaotel.Observer, *seen) {
	t.Helper()
	s := &seen{t: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	s.meters = metric.NewMeterProvider(metric.WithReader(s.reader))
	opts.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans))
	opts.MeterProvider = s.meters
	o, err := dynaotel.New(opts)
	require.NoError(t, err)
	return o, s
}

// all returns the spans in the order in which they began.
func (s *seen) all() []span {
	var all []span
	for _, stub := range s.spans.GetSpans() {
		all = append(all, span{stub})
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.StartTime.Compare(b.StartTime) })
	return all
}

// kind returns the spans of one kind.
func (s *seen) kind(kind trace.SpanKind) []span {
	return slices.DeleteFunc(s.all(), func(one span) bool { return one.SpanKind != kind })
}

// span is one that has ended.
type span struct{ tracetest.SpanStub }

func (s span) value(key string) attribute.Value {
	for _, a := range s.Attributes {
		if string(a.Key) == key {
			return a.Value
		}
	}
	return attribute.Value{}
}

func (s span) text(key string) string {
	if v := s.value(key); v.Type() == attribute.STRING {
		return v.AsString()
	}
	return ""
}

func (s span) int(key string) int {
	if v := s.value(key); v.Type() == attribute.INT64 {
		return int(v.AsInt64())
	}
	return 0
}

func (s span) float(key string) float64 {
	if v := s.value(key); v.Type() == attribute.FLOAT64 {
		return v.AsFloat64()
	}
	return 0
}

func (s span) strings(key string) []string {
	if v := s.value(key); v.Type() == attribute.STRINGSLICE {
		return v.AsStringSlice()
	}
	return nil
}

func (s span) floats(key string) []float64 {
	if v := s.value(key); v.Type() == attribute.FLOAT64SLICE {
		return v.AsFloat64Slice()
	}
	return nil
}

// point is one time series of a metric: its value, and of a histogram how many values it has.
type point struct {
	attributes attribute.Set
	value      float64
	count      int
}

// points returns the time series of a metric.
func (s *seen) points(name string) (all []point) {
	s.t.Helper()
	var data metricdata.ResourceMetrics
	require.NoError(s.t, s.reader.Collect(context.Background(), &data))
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					all = append(all, point{p.Attributes, p.Value, 0})
				}
			case metricdata.Gauge[float64]:
				for _, p := range d.DataPoints {
					all = append(all, point{p.Attributes, p.Value, 0})
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					all = append(all, point{p.Attributes, p.Sum, int(p.Count)})
				}
			}
		}
	}
	return all
}

// by adds the values of a metric up, by the values of some attributes, joined with a space.
func (s *seen) by(name string, attributes ...string) map[string]float64 {
	s.t.Helper()
	sums := map[string]float64{}
	for _, p := range s.points(name) {
		value := p.value
		if p.count > 0 {
			value = float64(p.count)
		}
		sums[valuesOf(p.attributes, attributes)] += value
	}
	maps.DeleteFunc(sums, func(_ string, value float64) bool { return value == 0 })
	return sums
}

// sum is by without attributes.
func (s *seen) sum(name string) float64 {
	s.t.Helper()
	return s.by(name)[""]
}

func valuesOf(set attribute.Set, names []string) string {
	values := make([]string, len(names))
	for i, name := range names {
		if v, ok := set.Value(attribute.Key(name)); ok {
			values[i] = v.AsString()
		}
	}
	return strings.Join(values, " ")
}
