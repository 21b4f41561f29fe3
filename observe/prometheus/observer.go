// Package dynaprom reports what a [dynastay.DB] does to Prometheus:
//
//	observer, err := dynaprom.New(prometheus.DefaultRegisterer)
//	…
//	db := dynastay.Open(client, &dynastay.Options{Observer: observer})
//
// The metrics are those of package measure, which says what each counts, and why the number of their time series is bounded.
// Their names and labels are those to which Prometheus translates the ones of package observe/otel, so that one dashboard
// shows both: docs/grafana/dashboard.json.
package dynaprom

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dynastay/dynastay/observe/measure"
)

// Observer is a [dynastay.Observer], with the methods of [measure.Meter] for what only the application knows. It is safe for
// concurrent use, and one can serve several DBs.
type Observer struct{ *measure.Meter }

// New returns an observer whose metrics are registered with reg. It fails if one of them is registered already: a process has
// one observer.
func New(reg prometheus.Registerer) (*Observer, error) {
	s := &sink{
		counters: map[*measure.Metric]*prometheus.CounterVec{}, histograms: map[*measure.Metric]*prometheus.HistogramVec{},
		gauges: map[*measure.Metric]*prometheus.GaugeVec{},
	}
	o := &Observer{}
	all := make([]prometheus.Collector, len(measure.Metrics()))
	for i, m := range measure.Metrics() {
		all[i] = s.collector(m, o)
	}
	o.Meter = measure.New(s) // before it is registered: from then on, it can be asked for
	for i, m := range measure.Metrics() {
		if err := reg.Register(all[i]); err != nil {
			for _, registered := range all[:i] {
				reg.Unregister(registered)
			}
			return nil, fmt.Errorf("metric %s: %w", m.Prometheus(), err)
		}
	}
	return o, nil
}

// sink puts values into the collectors.
type sink struct {
	counters   map[*measure.Metric]*prometheus.CounterVec
	histograms map[*measure.Metric]*prometheus.HistogramVec
	gauges     map[*measure.Metric]*prometheus.GaugeVec
}

// collector makes what collects a metric.
func (s *sink) collector(m *measure.Metric, o *Observer) prometheus.Collector {
	labels := make([]string, len(m.Attributes))
	for i, a := range m.Attributes {
		labels[i] = measure.PrometheusLabel(a)
	}
	opts := prometheus.Opts{Name: m.Prometheus(), Help: m.Description}
	if m.Name == "db.client.operation.duration" { // what the conventions of OpenTelemetry require
		opts.ConstLabels = prometheus.Labels{"db_system_name": "aws.dynamodb"}
	}
	switch {
	case m.Name == "OldestRecordAge":
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts(opts), func() float64 { return o.RecordAge().Seconds() })
	case m.Kind == measure.Counter:
		s.counters[m] = prometheus.NewCounterVec(prometheus.CounterOpts(opts), labels)
		return s.counters[m]
	case m.Kind == measure.Histogram:
		s.histograms[m] = prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Name: opts.Name, Help: opts.Help, ConstLabels: opts.ConstLabels, Buckets: m.Buckets}, labels)
		return s.histograms[m]
	}
	s.gauges[m] = prometheus.NewGaugeVec(prometheus.GaugeOpts(opts), labels)
	return s.gauges[m]
}

// Add adds a value to a metric. A value that Prometheus refuses, because the program has given an operation a name that is not
// UTF-8, is left out.
func (s *sink) Add(_ context.Context, m *measure.Metric, value float64, all measure.Labels) {
	labels := all[:len(m.Attributes)]
	switch m.Kind {
	case measure.Counter:
		if c, err := s.counters[m].GetMetricWithLabelValues(labels...); err == nil {
			c.Add(value)
		}
	case measure.Histogram:
		if h, err := s.histograms[m].GetMetricWithLabelValues(labels...); err == nil {
			h.Observe(value)
		}
	default:
		if g, err := s.gauges[m].GetMetricWithLabelValues(labels...); err == nil {
			g.Set(value)
		}
	}
}
