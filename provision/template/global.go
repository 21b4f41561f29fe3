package template

import (
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/provision"
)

// checkGlobal refuses what each region of a global table needs of its own.
func checkGlobal(t provision.Table) error {
	switch s := t.Settings; {
	case len(s.Replicas) == 0:
	case s.Provisioned != nil:
		return dynastay.Invalid("Settings.Provisioned", "must be nil for a table with replicas in a template")
	case s.KMSKey != "":
		return dynastay.Invalid("Settings.KMSKey", "must be empty for a table with replicas in a template: each region has keys of its own")
	}
	return nil
}

// globalTable is a table with replicas. Some of its properties are those of all regions, and some those of each, of which
// the region of the stack is one.
func globalTable(t provision.Table) object {
	p := plain(t.CreateTableInput()).(object)
	for _, name := range []string{"Tags", "DeletionProtectionEnabled", "OnDemandThroughput"} {
		delete(p, name)
	}
	p["SSESpecification"] = object{"SSEEnabled": true, "SSEType": "KMS"}
	p["StreamSpecification"] = object{"StreamViewType": "NEW_AND_OLD_IMAGES"} // replication reads it
	if t.Schema.TTL != "" {
		p["TimeToLiveSpecification"] = object{"AttributeName": t.Schema.TTL, "Enabled": true}
	}
	maximum := t.Settings.Maximum
	reads, writes := object{"MaxReadRequestUnits": maximum.Read}, object{"MaxWriteRequestUnits": maximum.Write}
	var indexes []any
	all, _ := p["GlobalSecondaryIndexes"].([]any)
	for _, index := range all {
		index := index.(object)
		delete(index, "OnDemandThroughput")
		if maximum.Write > 0 {
			index["WriteOnDemandThroughputSettings"] = writes
		}
		indexes = append(indexes, object{"IndexName": index["IndexName"], "ReadOnDemandThroughputSettings": reads})
	}
	if maximum.Write > 0 {
		p["WriteOnDemandThroughputSettings"] = writes
	}
	regions := []any{object{"Ref": "AWS::Region"}}
	for _, region := range t.Settings.Replicas {
		regions = append(regions, region)
	}
	var replicas []any
	for _, region := range regions {
		replica := object{
			"Region": region, "DeletionProtectionEnabled": !t.Settings.Deletable, "PointInTimeRecoverySpecification": recovery(t),
		}
		if tags := tagsOf(t); tags != nil {
			replica["Tags"] = tags
		}
		if maximum.Read > 0 {
			replica["ReadOnDemandThroughputSettings"] = reads
			if indexes != nil {
				replica["GlobalSecondaryIndexes"] = indexes
			}
		}
		replicas = append(replicas, replica)
	}
	p["Replicas"] = replicas
	return p
}

func tagsOf(t provision.Table) (all []any) {
	for _, k := range slices.Sorted(maps.Keys(t.Settings.Tags)) {
		all = append(all, object{"Key": k, "Value": t.Settings.Tags[k]})
	}
	return all
}
