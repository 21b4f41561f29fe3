package dynaotel

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/observe/measure"
)

// The library's own attributes of spans. The package's comment says what they are.
const (
	operationKey      = attribute.Key("dynastay.operation")
	patternKey        = attribute.Key("dynastay.pattern")
	requestsKey       = attribute.Key("dynastay.requests")
	retriesKey        = attribute.Key("dynastay.retries")
	readUnitsKey      = attribute.Key("dynastay.read_units")
	writeUnitsKey     = attribute.Key("dynastay.write_units")
	conflictsKey      = attribute.Key("dynastay.conflicts")
	throttledKey      = attribute.Key("dynastay.throttled")
	lostKey           = attribute.Key("dynastay.lost")
	settledKey        = attribute.Key("dynastay.settled")
	gateTablesKey     = attribute.Key("dynastay.gate.tables")
	gateWaitsKey      = attribute.Key("dynastay.gate.waits")
	verdictKey        = attribute.Key("dynastay.verdict")
	attemptKey        = attribute.Key("dynastay.attempt")
	sdkRetriesKey     = attribute.Key("dynastay.sdk_retries")
	writeKey          = attribute.Key("dynastay.write")
	usageTargetsKey   = attribute.Key("dynastay.usage.targets")
	usageReadsKey     = attribute.Key("dynastay.usage.read_units")
	usageWritesKey    = attribute.Key("dynastay.usage.write_units")
	throttleReasonKey = attribute.Key("dynastay.throttle.reasons")
	throttleTargetKey = attribute.Key("dynastay.throttle.targets")
	recordKey         = attribute.Key("dynastay.record")
	tableKey          = attribute.Key("dynastay.table")
)

// begun returns the attributes that an operation has from its beginning.
func begun(operation string) []attribute.KeyValue {
	o := measure.OperationOf(operation)
	if o.Pattern == "" {
		return []attribute.KeyValue{operationKey.String(o.Name)}
	}
	return []attribute.KeyValue{operationKey.String(o.Name), patternKey.String(o.Pattern)}
}

// ended returns what is known when an operation has ended. What is unusual is left out if it did not happen.
func ended(e dynastay.Ended) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 4, 11)
	all[0], all[1] = requestsKey.Int(e.Requests), retriesKey.Int(e.Retries)
	all[2], all[3] = readUnitsKey.Float64(e.ReadUnits), writeUnitsKey.Float64(e.WriteUnits)
	for _, seldom := range []struct {
		key attribute.Key
		n   int
	}{{conflictsKey, e.Conflicts}, {throttledKey, e.Throttled}, {lostKey, e.Lost}} {
		if seldom.n > 0 {
			all = append(all, seldom.key.Int(seldom.n))
		}
	}
	if e.Settled != "" {
		all = append(all, settledKey.String(string(e.Settled)))
	}
	if len(e.Waits) > 0 {
		tables, waits := make([]string, len(e.Waits)), make([]float64, len(e.Waits))
		for i, w := range e.Waits { // without the key, which may contain an e-mail address
			tables[i], waits[i] = w.Table, w.Duration.Seconds()
		}
		all = append(all, gateTablesKey.StringSlice(tables), gateWaitsKey.Float64Slice(waits))
	}
	return all
}

// requested returns the library's own attributes of a request.
func requested(call dynastay.Call) []attribute.KeyValue {
	all := []attribute.KeyValue{verdictKey.String(string(call.Verdict)), attemptKey.Int(call.Attempt)}
	if call.Retries > 0 {
		all = append(all, sdkRetriesKey.Int(call.Retries))
	}
	if call.Write != "" {
		all = append(all, writeKey.String(call.Write))
	}
	if len(call.Usage) > 0 {
		targets, reads, writes := make([]string, len(call.Usage)), make([]float64, len(call.Usage)), make([]float64, len(call.Usage))
		for i, u := range call.Usage {
			targets[i], reads[i], writes[i] = target(u.Table, u.Index), u.ReadUnits, u.WriteUnits
		}
		all = append(all, usageTargetsKey.StringSlice(targets), usageReadsKey.Float64Slice(reads), usageWritesKey.Float64Slice(writes))
	}
	if len(call.Throttles) > 0 {
		reasons, targets := make([]string, len(call.Throttles)), make([]string, len(call.Throttles))
		for i, t := range call.Throttles {
			reasons[i], targets[i] = t.Reason, target(t.Table, t.Index)
		}
		all = append(all, throttleReasonKey.StringSlice(reasons), throttleTargetKey.StringSlice(targets))
	}
	return all
}

// target names a table or an index. DynamoDB allows no slash in either name.
func target(table, index string) string {
	if index == "" {
		return table
	}
	return table + "/" + index
}

// recorded returns the attributes of a record of a stream. Its ID has the number of the change, and no key of an item.
func recorded(r stream.Record, schema *dynastay.Schema) []attribute.KeyValue {
	all := []attribute.KeyValue{tableKey.String(r.Table), recordKey.String(r.ID())}
	if write := measure.WriteOf(r, schema); write != "" {
		all = append(all, writeKey.String(write))
	}
	return all
}
