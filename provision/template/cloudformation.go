package template

import (
	"encoding/json"

	"github.com/dynastay/dynastay/provision"
)

// object is a JSON object of a template.
type object = map[string]any

// CloudFormation returns the template of a stack in JSON, which is also YAML. A table with replicas is refused if it has
// provisioned capacity or a customer-managed key: each region needs its own.
func CloudFormation(s Stack) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	resources := object{}
	for _, t := range s.Tables {
		table(resources, t)
		scaling(resources, t)
	}
	if s.Backup != nil {
		backup(resources, s)
	}
	for _, a := range s.Alarms() {
		resources[id("Alarm", a.Name)] = object{"Type": "AWS::CloudWatch::Alarm", "Properties": a.cloudFormation(s.Topic)}
	}
	resources["Dashboard"] = object{"Type": "AWS::CloudWatch::Dashboard", "Properties": object{
		"DashboardBody": object{"Fn::Sub": s.dashboard("${AWS::Region}")},
	}}
	return json.MarshalIndent(object{
		"AWSTemplateFormatVersion": "2010-09-09",
		"Description":              "Tables of dynastay, with their scaling, backups, alarms and dashboard.",
		"Resources":                resources,
	}, "", "  ")
}

// table adds a table. Its properties have the names of CreateTable, so they are made from that request.
func table(resources object, t provision.Table) {
	if len(t.Settings.Replicas) > 0 {
		resources[id(t.Name)] = kept("AWS::DynamoDB::GlobalTable", globalTable(t))
		return
	}
	p := plain(t.CreateTableInput()).(object)
	p["SSESpecification"] = encryption(t)
	if t.Schema.Stream {
		p["StreamSpecification"] = object{"StreamViewType": "NEW_AND_OLD_IMAGES"}
	}
	if t.Schema.TTL != "" {
		p["TimeToLiveSpecification"] = object{"AttributeName": t.Schema.TTL, "Enabled": true}
	}
	p["PointInTimeRecoverySpecification"] = recovery(t)
	resources[id(t.Name)] = kept("AWS::DynamoDB::Table", p)
}

// kept is a resource that stays when its stack is deleted, or would replace it.
func kept(kind string, properties object) object {
	return object{"Type": kind, "Properties": properties, "DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
}

// plain returns what a value of the SDK is in JSON, without what is not set.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the SDK's requests have nothing that JSON does not know
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		panic(err)
	}
	return pruned(decoded)
}

func pruned(v any) any {
	switch v := v.(type) {
	case object:
		for name, value := range v {
			if value = pruned(value); value == nil || value == "" {
				delete(v, name)
			} else {
				v[name] = value
			}
		}
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
	}
	return v
}

func encryption(t provision.Table) object {
	e := object{"SSEEnabled": true, "SSEType": "KMS"}
	if t.Settings.KMSKey != "" {
		e["KMSMasterKeyId"] = t.Settings.KMSKey
	}
	return e
}

func recovery(t provision.Table) object {
	return object{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": t.Settings.Days()}
}

// scaling adds target tracking of the capacity.
func scaling(resources object, t provision.Table) {
	if len(t.Settings.Replicas) > 0 {
		return // it is a part of a global table
	}
	for _, d := range tracked(t) {
		name := id(t.Name, d.index, d.word)
		resources[name+"Scale"] = object{"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "DependsOn": id(t.Name), "Properties": object{
			"ServiceNamespace": "dynamodb", "ResourceId": d.resource(), "ScalableDimension": d.scalable(), "MinCapacity": d.scale.Min, "MaxCapacity": d.scale.Max,
		}}
		resources[name+"Tracking"] = object{"Type": "AWS::ApplicationAutoScaling::ScalingPolicy", "Properties": object{
			"PolicyName": name, "PolicyType": "TargetTrackingScaling", "ScalingTargetId": object{"Ref": name + "Scale"},
			"TargetTrackingScalingPolicyConfiguration": object{
				"TargetValue": d.target(), "PredefinedMetricSpecification": object{"PredefinedMetricType": d.predefined()},
			},
		}}
	}
}

func (d dimension) resource() string {
	if d.index == "" {
		return "table/" + d.table.Name
	}
	return "table/" + d.table.Name + "/index/" + d.index
}

func (d dimension) scalable() string {
	if d.index == "" {
		return "dynamodb:table:" + d.word + "CapacityUnits"
	}
	return "dynamodb:index:" + d.word + "CapacityUnits"
}

func (d dimension) predefined() string { return "DynamoDB" + d.word + "CapacityUtilization" }

// schedule is every day at 3:00 UTC.
const schedule = "cron(0 3 * * ? *)"

func assumedByBackup() object {
	return object{"Version": "2012-10-17", "Statement": []any{object{
		"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": object{"Service": "backup.amazonaws.com"},
	}}}
}

// backup adds a vault, a plan, and the role that AWS Backup assumes.
func backup(resources object, s Stack) {
	b := s.Backup
	rule := object{
		"RuleName": "daily", "TargetBackupVault": object{"Ref": "BackupVault"}, "ScheduleExpression": schedule,
		"Lifecycle": object{"DeleteAfterDays": b.Days},
	}
	if b.CopyTo != "" {
		rule["CopyActions"] = []any{object{"DestinationBackupVaultArn": b.CopyTo, "Lifecycle": object{"DeleteAfterDays": b.Days}}}
	}
	var tables []any
	for _, t := range s.Tables {
		tables = append(tables, object{"Fn::GetAtt": []any{id(t.Name), "Arn"}})
	}
	resources["BackupVault"] = kept("AWS::Backup::BackupVault", object{"BackupVaultName": b.Name})
	resources["BackupPlan"] = object{"Type": "AWS::Backup::BackupPlan", "Properties": object{
		"BackupPlan": object{"BackupPlanName": b.Name, "BackupPlanRule": []any{rule}},
	}}
	resources["BackupRole"] = object{"Type": "AWS::IAM::Role", "Properties": object{
		"AssumeRolePolicyDocument": assumedByBackup(),
		"ManagedPolicyArns":        []any{object{"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup"}},
	}}
	resources["BackupSelection"] = object{"Type": "AWS::Backup::BackupSelection", "Properties": object{
		"BackupPlanId":    object{"Ref": "BackupPlan"},
		"BackupSelection": object{"SelectionName": b.Name, "IamRoleArn": object{"Fn::GetAtt": []any{"BackupRole", "Arn"}}, "Resources": tables},
	}}
}

func (a Alarm) cloudFormation(topic string) object {
	p := object{
		"AlarmName": a.Name, "AlarmDescription": a.Reason, "Threshold": a.Above, "ComparisonOperator": "GreaterThanThreshold",
		"EvaluationPeriods": a.Of, "DatapointsToAlarm": a.Bad, "TreatMissingData": "notBreaching", // DynamoDB sends nothing where nothing happens
	}
	if topic != "" {
		p["AlarmActions"], p["OKActions"] = []any{topic}, []any{topic}
	}
	var dimensions []any
	for _, d := range a.Dimensions {
		dimensions = append(dimensions, object{"Name": d.Name, "Value": d.Value})
	}
	seconds := int(a.Period.Seconds())
	if a.Percent == nil {
		p["Namespace"], p["MetricName"], p["Period"] = a.Namespace, a.Metric, seconds
		if dimensions != nil {
			p["Dimensions"] = dimensions
		}
		if a.Statistic == percentile {
			p["ExtendedStatistic"] = a.Statistic
		} else {
			p["Statistic"] = a.Statistic
		}
		return p
	}
	query := func(id, metric, statistic string) object {
		return object{"Id": id, "ReturnData": false, "MetricStat": object{
			"Stat": statistic, "Period": seconds, "Metric": object{"Namespace": dynamoDB, "MetricName": metric, "Dimensions": dimensions},
		}}
	}
	metrics := []any{
		object{"Id": "percent", "Label": "percent", "Expression": a.Percent.expression(a.Period), "ReturnData": true},
		query("consumed", a.Percent.Consumed, "Sum"),
	}
	if a.Percent.Capacity != "" {
		metrics = append(metrics, query("capacity", a.Percent.Capacity, "Average"))
	}
	p["Metrics"] = metrics
	return p
}

// dashboard returns the body of a dashboard, with a row for each table.
func (s Stack) dashboard(region string) string {
	var widgets []any
	y := 0
	graph := func(x int, title string, metrics ...[]any) {
		widgets = append(widgets, object{
			"type": "metric", "x": x, "y": y, "width": 6, "height": 6,
			"properties": object{"title": title, "region": region, "view": "timeSeries", "stat": "Sum", "period": 60, "metrics": metrics},
		})
	}
	for _, t := range s.Tables {
		var throttled [][]any
		for _, p := range parts(t) {
			var of []any
			for _, d := range p.dimensions() {
				of = append(of, d.Name, d.Value)
			}
			for _, word := range []string{"Read", "Write"} {
				throttled = append(throttled, append([]any{dynamoDB, word + "ThrottleEvents"}, of...))
			}
		}
		consumed := [][]any{{dynamoDB, "ConsumedReadCapacityUnits", "TableName", t.Name}, {dynamoDB, "ConsumedWriteCapacityUnits", "TableName", t.Name}}
		if t.Settings.Provisioned != nil {
			for _, word := range []string{"Read", "Write"} {
				consumed = append(consumed, []any{dynamoDB, "Provisioned" + word + "CapacityUnits", "TableName", t.Name, object{"stat": "Average"}})
			}
		}
		var slow [][]any
		for _, operation := range operations {
			slow = append(slow, []any{dynamoDB, "SuccessfulRequestLatency", "TableName", t.Name, "Operation", operation, object{"stat": percentile}})
		}
		graph(0, t.Name+": units", consumed...)
		graph(6, t.Name+": throttled", throttled...)
		graph(12, t.Name+": milliseconds, p99", slow...)
		graph(18, t.Name+": conflicts, failed conditions", []any{dynamoDB, "TransactionConflict", "TableName", t.Name},
			[]any{dynamoDB, "ConditionalCheckFailedRequests", "TableName", t.Name})
		y += 6
	}
	if s.Application {
		for i, metric := range Metrics() {
			graph(6*i, metric, []any{Namespace, metric, object{"stat": "Maximum"}})
		}
	}
	body, err := json.Marshal(object{"widgets": widgets})
	if err != nil {
		panic(err) // it has texts and numbers only
	}
	return string(body)
}
