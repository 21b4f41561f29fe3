package template

import (
	"fmt"
	"time"

	"github.com/dynastay/dynastay/provision"
)

// Namespace is that of the metrics which only the application can send.
const Namespace = "dynastay"

// The metrics of [Namespace].
const (
	// RecordAge is the age in seconds of the oldest record of the streams that no consumer has handled. A record is gone after
	// 24 hours.
	RecordAge = "OldestRecordAge"
	// OverdueHolds is the number of holds that ended more than a few minutes ago and still keep their rooms.
	OverdueHolds = "OverdueHolds"
	// DeadLetters is the number of records that a consumer has given up.
	DeadLetters = "DeadLetters"
	// OutcomesUnknown is the number of writes of which nobody knows whether they happened, [dynastay.ErrOutcomeUnknown].
	OutcomesUnknown = "OutcomesUnknown"
)

// Alarm is a metric that people must look at when it is above a threshold.
type Alarm struct {
	Name string
	// What it watches: a metric, with its dimensions, or the quotient of two in percent.
	Namespace, Metric, Statistic string
	Dimensions                   []Dimension `json:",omitzero"`
	Percent                      *Percent    `json:",omitzero"` // in place of a metric
	// It rings if the metric is above Above in Bad of the last Of periods.
	Period  time.Duration `json:",omitzero"`
	Bad, Of int
	Above   float64
	Reason  string // why this threshold, and what to do
}

// Percent is how much of a capacity is consumed.
type Percent struct {
	Consumed string // the metric of the units that a period has consumed
	Capacity string // the metric of the units per second; "" if PerSecond is constant
	// PerSecond is the maximum that was declared.
	PerSecond int64
}

// Dimension is one of a metric.
type Dimension struct {
	Name, Value string
}

func (p part) dimensions() []Dimension {
	all := []Dimension{{"TableName", p.table.Name}}
	if p.index != "" {
		all = append(all, Dimension{"GlobalSecondaryIndexName", p.index})
	}
	return all
}

const (
	dynamoDB   = "AWS/DynamoDB"
	percentile = "p99"
)

// Alarms returns the alarms of the stack.
func (s Stack) Alarms() (all []Alarm) {
	for _, t := range s.Tables {
		for _, p := range parts(t) {
			all = append(all, p.alarms()...)
		}
		all = append(all, tableAlarms(t)...)
	}
	all = append(all, Alarm{
		Name: "dynastay-user-errors", Namespace: dynamoDB, Metric: "UserErrors", Statistic: "Sum", Period: 5 * time.Minute, Bad: 1, Of: 1, Above: 10,
		Reason: "Requests of this account and region are refused as wrong: a table or a permission is missing, or a version of the software is " +
			"wrong. Some happen whenever a person tries something.",
	})
	if s.Backup != nil {
		all = append(all, Alarm{
			Name: "dynastay-backup-failed", Namespace: "AWS/Backup", Metric: "NumberOfBackupJobsFailed", Statistic: "Sum", Period: time.Hour, Bad: 1, Of: 1,
			Dimensions: []Dimension{{"BackupVaultName", s.Backup.Name}},
			Reason:     "A daily backup is missing. Point-in-time recovery still works, in this region only.",
		})
	}
	if s.Application {
		all = append(all, applicationAlarms()...)
	}
	return all
}

// alarms are those of a table, and of each index: a full index throttles the writes of its table.
func (p part) alarms() (all []Alarm) {
	for _, word := range []string{"Read", "Write"} {
		all = append(all, Alarm{
			Name: fmt.Sprintf("%s %s throttled", p, word), Namespace: dynamoDB, Metric: word + "ThrottleEvents", Statistic: "Sum", Dimensions: p.dimensions(),
			Period: time.Minute, Bad: 3, Of: 5,
			Reason: "The SDK repeats what is throttled, so guests wait first, and see errors later. A minute of it passes by itself, while DynamoDB splits " +
				"a partition or adds capacity.",
		})
	}
	for _, d := range provisioned(p.table) {
		if d.part.index != p.index {
			continue
		}
		all = append(all, Alarm{
			Name: fmt.Sprintf("%s %s capacity", p, d.word), Dimensions: p.dimensions(),
			Percent: &Percent{Consumed: "Consumed" + d.word + "CapacityUnits", Capacity: "Provisioned" + d.word + "CapacityUnits"},
			Period:  time.Minute, Bad: 10, Of: 10, Above: float64(d.target()+100) / 2,
			Reason: d.reason(),
		})
	}
	maximum := p.table.Settings.Maximum
	for _, m := range []struct {
		word string
		most int64
	}{{"Read", maximum.Read}, {"Write", maximum.Write}} {
		if m.most == 0 {
			continue
		}
		all = append(all, Alarm{
			Name: fmt.Sprintf("%s %s maximum", p, m.word), Dimensions: p.dimensions(),
			Percent: &Percent{Consumed: "Consumed" + m.word + "CapacityUnits", PerSecond: m.most},
			Period:  time.Minute, Bad: 5, Of: 5, Above: 80,
			Reason: "More than four fifths of the maximum for five minutes: either more guests come than were planned for, or something repeats requests.",
		})
	}
	return all
}

func (d dimension) reason() string {
	if d.scale.Max == d.scale.Min {
		return "The capacity does not grow by itself, and is nearly used up: raise it before requests are throttled."
	}
	return fmt.Sprintf("Target tracking keeps it at %d %%, and needs some minutes. If it stays halfway to 100 %% for ten, the maximum of %d units is reached: "+
		"raise it before requests are throttled.", d.target(), d.scale.Max)
}

// tableAlarms are those of a table as a whole.
func tableAlarms(t provision.Table) []Alarm {
	table := []Dimension{{"TableName", t.Name}}
	all := []Alarm{{
		Name: t.Name + " conflicts", Namespace: dynamoDB, Metric: "TransactionConflict", Statistic: "Sum", Dimensions: table,
		Period: time.Minute, Bad: 5, Of: 5, Above: 60,
		Reason: "One a second for five minutes. Writers of the same item wait for each other, as the last rooms of a night are sold, and repeat what conflicts. " +
			"More than that is a hot night, or software that writes one item again and again.",
	}}
	for _, operation := range operations {
		of := append(table[:1:1], Dimension{"Operation", operation})
		all = append(all, Alarm{
			Name: fmt.Sprintf("%s %s latency", t.Name, operation), Namespace: dynamoDB, Metric: "SuccessfulRequestLatency", Statistic: percentile, Dimensions: of,
			Period: 5 * time.Minute, Bad: 3, Of: 3, Above: latency[operation],
			Reason: "Many times what DynamoDB needs on a normal day, for a quarter of an hour: guests wait. Look at the health of the region, and for larger items or pages than before.",
		}, Alarm{
			Name: fmt.Sprintf("%s %s system errors", t.Name, operation), Namespace: dynamoDB, Metric: "SystemErrors", Statistic: "Sum", Dimensions: of,
			Period: 5 * time.Minute, Bad: 2, Of: 3, Above: 5,
			Reason: "DynamoDB fails now and then, and requests are repeated. If it fails for ten minutes, look at the health of the region: writes may have an unknown outcome.",
		})
	}
	for _, region := range t.Settings.Replicas {
		all = append(all, Alarm{
			Name: fmt.Sprintf("%s replication to %s", t.Name, region), Namespace: dynamoDB, Metric: "ReplicationLatency", Statistic: "Average",
			Dimensions: append(table[:1:1], Dimension{"ReceivingRegion", region}), Period: time.Minute, Bad: 10, Of: 10, Above: 60_000,
			Reason: "Usually a second. After a minute, a move to the other region would lose what guests have booked here since.",
		})
	}
	return all
}

// latency is what the 99th percentile must not be above, in milliseconds.
var latency = map[string]float64{"GetItem": 50, "Query": 100, "TransactWriteItems": 200}

func applicationAlarms() []Alarm {
	one := func(metric string, statistic string, bad, of int, above float64, reason string) Alarm {
		return Alarm{
			Name: "dynastay-" + metric, Namespace: Namespace, Metric: metric, Statistic: statistic, Period: 5 * time.Minute, Bad: bad, Of: of, Above: above, Reason: reason,
		}
	}
	return []Alarm{
		one(RecordAge, "Maximum", 1, 1, 600, "The consumers of a stream are ten minutes behind: they have stopped, or a record fails again and again. After 24 hours, records are lost."),
		one(OverdueHolds, "Maximum", 2, 2, 0, "ExpireHolds does not run, so rooms of guests who have not paid stay unsold."),
		one(DeadLetters, "Sum", 1, 1, 0, "A consumer has given up a record: what it should have done, such as an e-mail to a guest, was not done."),
		one(OutcomesUnknown, "Sum", 1, 1, 10, "Nobody knows whether these writes happened. A few follow from broken connections; more need a look at the network and the region."),
	}
}

// Metrics returns the metrics that the application must send in [Namespace].
func Metrics() []string { return []string{RecordAge, OverdueHolds, DeadLetters, OutcomesUnknown} }

func (p Percent) expression(period time.Duration) string {
	capacity := "capacity"
	if p.Capacity == "" {
		capacity = fmt.Sprint(p.PerSecond)
	}
	return fmt.Sprintf("100 * consumed / (%s * %d)", capacity, int(period.Seconds()))
}

// operations are those whose latency and errors are watched: most of what a guest waits for.
var operations = []string{"GetItem", "Query", "TransactWriteItems"}
