package measure

import "strings"

// Kind is what a metric does with its values.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"   // adds them up
	Histogram Kind = "histogram" // counts them by size
	Gauge     Kind = "gauge"     // keeps the last one
)

// Metric describes a metric.
type Metric struct {
	Name        string // by the conventions of OpenTelemetry; [Metric.Prometheus] is the name there
	Kind        Kind
	Unit        string // in UCUM, such as "s" or "{request}"
	Description string
	Attributes  []string  // their names; a value may lack some
	Buckets     []float64 // the upper bounds of a histogram's buckets, in Unit
}

// Labels are the values of a metric's attributes, in the order of [Metric.Attributes]; "" is one that is missing.
type Labels [5]string

// The names of attributes. Those that begin with "db." and "error." are of the conventions of OpenTelemetry.
const (
	operationAttr   = "dynastay.operation" // such as "bookings.Create"
	patternAttr     = "dynastay.pattern"   // see observe.Pattern
	verdictAttr     = "dynastay.verdict"   // see dynastay.Verdict
	tableAttr       = "dynastay.table"     // the full name; of gates, the name of the schema
	indexAttr       = "dynastay.index"     // missing for the table itself
	directionAttr   = "dynastay.direction" // "read" or "write"
	reasonAttr      = "dynastay.reason"    // DynamoDB's
	settledAttr     = "dynastay.settled"   // see dynastay.Settled; "no" if it was not: a read, for example
	errorTypeAttr   = "error.type"         // see ErrorType; missing for success
	dbOperationAttr = "db.operation.name"  // DynamoDB's: "Query"
)

var (
	// What the conventions ask for, in seconds.
	requestBuckets = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10}
	// An operation is a few requests, or hundreds.
	operationBuckets = []float64{0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
)

// The metrics.
var (
	requestDuration = &Metric{
		"db.client.operation.duration", Histogram, "s",
		"Duration of database client operations.",
		[]string{dbOperationAttr, "db.collection.name", "db.query.summary", "db.response.status_code", errorTypeAttr}, requestBuckets,
	}
	operationDuration = &Metric{
		"dynastay.operation.duration", Histogram, "s",
		"How long operations took, with everything that they did and waited for.",
		[]string{operationAttr, patternAttr, errorTypeAttr}, operationBuckets,
	}
	requests = &Metric{
		"dynastay.requests", Counter, "{request}",
		"Requests that were sent to DynamoDB, with the retries of the SDK.",
		[]string{operationAttr, patternAttr, dbOperationAttr, verdictAttr}, nil,
	}
	retries = &Metric{
		"dynastay.retries", Counter, "{request}",
		"Requests that repeated another one: by the SDK, or by the library.",
		[]string{operationAttr, patternAttr, dbOperationAttr}, nil,
	}
	units = &Metric{
		"dynastay.consumed_units", Counter, "{unit}",
		"Read and write units that requests consumed.",
		[]string{operationAttr, patternAttr, tableAttr, indexAttr, directionAttr}, nil,
	}
	conflicts = &Metric{
		"dynastay.conflicts", Counter, "{request}",
		"Requests that another transaction was in the way of.",
		[]string{operationAttr, patternAttr}, nil,
	}
	throttles = &Metric{
		"dynastay.throttles", Counter, "{throttle}",
		"Limits that requests met, whether a retry helped or not. A request can meet several.",
		[]string{operationAttr, reasonAttr, tableAttr, indexAttr}, nil,
	}
	gateWait = &Metric{
		"dynastay.gate.wait.duration", Histogram, "s",
		"How long operations queued for an item, behind other operations of the same process.",
		[]string{operationAttr, tableAttr}, operationBuckets,
	}
	lostAnswers = &Metric{
		"dynastay.lost_answers", Counter, "{request}",
		"Requests without an answer, by how the outcome of their operation became known.",
		[]string{operationAttr, settledAttr}, nil,
	}
	recordDuration = &Metric{
		"dynastay.record.duration", Histogram, "s",
		"How long handlers took for a record of a stream.",
		[]string{tableAttr, errorTypeAttr}, operationBuckets,
	}
)

// The metrics of the alarms in package provision/template have the names that CloudWatch is asked for, and no attributes.
var (
	recordAge = &Metric{
		"OldestRecordAge", Gauge, "s",
		"Age of the oldest record of the streams that no consumer has handled.", nil, nil,
	}
	overdueHolds = &Metric{
		"OverdueHolds", Gauge, "{hold}",
		"Holds that ended more than a few minutes ago and still keep their rooms.", nil, nil,
	}
	deadLetters = &Metric{
		"DeadLetters", Counter, "{record}",
		"Records of the streams that a consumer has given up.", nil, nil,
	}
	outcomesUnknown = &Metric{
		"OutcomesUnknown", Counter, "{operation}",
		"Writes of which nobody knows whether they happened.", nil, nil,
	}
)

// Metrics returns all metrics. A caller must not change what they point to.
func Metrics() []*Metric {
	return []*Metric{
		requestDuration, operationDuration, requests, retries, units, conflicts, throttles, gateWait, lostAnswers, recordDuration,
		recordAge, overdueHolds, deadLetters, outcomesUnknown,
	}
}

// Prometheus returns the name of the metric in Prometheus, which is also the one that Prometheus and the OpenTelemetry
// collector translate its name to.
func (m *Metric) Prometheus() string {
	name := PrometheusLabel(m.Name)
	if m.Unit == "s" {
		name += "_seconds"
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}

// PrometheusLabel returns the name of an attribute in Prometheus.
func PrometheusLabel(attribute string) string { return strings.ReplaceAll(attribute, ".", "_") }
