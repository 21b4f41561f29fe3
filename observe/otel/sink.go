package dynaotel

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/dynastay/dynastay/observe/measure"
)

// sink puts values into the instruments.
type sink struct {
	meter      metric.Meter
	counters   map[*measure.Metric]metric.Float64Counter
	histograms map[*measure.Metric]metric.Float64Histogram
	gauges     map[*measure.Metric]metric.Float64Gauge
	standard   []attribute.KeyValue // of the metrics of the conventions
	sets       sync.Map             // of series to metric.MeasurementOption; as many as there are time series
}

// series is what a set of attributes is made of.
type series struct {
	metric *measure.Metric
	labels measure.Labels
}

// age is the metric that has to be asked for.
const age = "OldestRecordAge"

func newSink(meter metric.Meter, standard []attribute.KeyValue) (*sink, error) {
	s := &sink{
		meter: meter, standard: standard, counters: map[*measure.Metric]metric.Float64Counter{},
		histograms: map[*measure.Metric]metric.Float64Histogram{}, gauges: map[*measure.Metric]metric.Float64Gauge{},
	}
	for _, m := range Metrics() {
		unit, description := metric.WithUnit(m.Unit), metric.WithDescription(m.Description)
		var err error
		switch {
		case m.Name == age:
		case m.Kind == measure.Counter:
			s.counters[m], err = meter.Float64Counter(m.Name, unit, description)
		case m.Kind == measure.Histogram:
			s.histograms[m], err = meter.Float64Histogram(m.Name, unit, description, metric.WithExplicitBucketBoundaries(m.Buckets...))
		default:
			s.gauges[m], err = meter.Float64Gauge(m.Name, unit, description)
		}
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", m.Name, err)
		}
	}
	return s, nil
}

// observeAge makes the meter ask for the age of the oldest record whenever it is read.
func (s *sink) observeAge(of func() time.Duration) error {
	for _, m := range Metrics() {
		if m.Name != age {
			continue
		}
		_, err := s.meter.Float64ObservableGauge(m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Description),
			metric.WithFloat64Callback(func(_ context.Context, to metric.Float64Observer) error {
				to.Observe(of().Seconds())
				return nil
			}))
		if err != nil {
			return fmt.Errorf("metric %s: %w", m.Name, err)
		}
	}
	return nil
}

// Add adds a value to the instrument of a metric.
func (s *sink) Add(ctx context.Context, m *measure.Metric, value float64, labels measure.Labels) {
	at := s.attributes(series{m, labels})
	switch m.Kind {
	case measure.Counter:
		s.counters[m].Add(ctx, value, at)
	case measure.Histogram:
		s.histograms[m].Record(ctx, value, at)
	default:
		s.gauges[m].Record(ctx, value, at)
	}
}

func (s *sink) attributes(of series) metric.MeasurementOption {
	if known, ok := s.sets.Load(of); ok {
		return known.(metric.MeasurementOption)
	}
	var all []attribute.KeyValue
	for i, name := range of.metric.Attributes {
		if of.labels[i] != "" {
			all = append(all, attribute.String(name, of.labels[i]))
		}
	}
	if of.metric.Name == "db.client.operation.duration" {
		all = append(all, s.standard...)
	}
	at := metric.WithAttributeSet(attribute.NewSet(all...))
	s.sets.Store(of, at)
	return at
}
