package template

import (
	"encoding/json"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/provision"
)

// Terraform returns a stack in the JSON syntax of Terraform, for a file whose name ends in .tf.json. Its tests check the
// syntax only: the names of the attributes are those of the AWS provider 6, and no test has compared them with it.
// It refuses what [CloudFormation] refuses.
func Terraform(s Stack) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	resources := map[string]object{}
	add := func(kind, name string, body object) {
		if resources[kind] == nil {
			resources[kind] = object{}
		}
		resources[kind][name] = body
	}
	for _, t := range s.Tables {
		add("aws_dynamodb_table", id(t.Name), terraformTable(t))
		for _, d := range tracked(t) {
			name := id(t.Name, d.index, d.word)
			target := "aws_appautoscaling_target." + name
			add("aws_appautoscaling_target", name, object{
				"service_namespace": "dynamodb", "resource_id": d.resource(), "scalable_dimension": d.scalable(),
				"min_capacity": d.scale.Min, "max_capacity": d.scale.Max, "depends_on": []any{"aws_dynamodb_table." + id(t.Name)},
			})
			add("aws_appautoscaling_policy", name, object{
				"name": name, "policy_type": "TargetTrackingScaling", "service_namespace": ref(target + ".service_namespace"),
				"resource_id": ref(target + ".resource_id"), "scalable_dimension": ref(target + ".scalable_dimension"),
				"target_tracking_scaling_policy_configuration": object{
					"target_value": d.target(), "predefined_metric_specification": object{"predefined_metric_type": d.predefined()},
				},
			})
		}
	}
	if s.Backup != nil {
		terraformBackup(add, s)
	}
	for _, a := range s.Alarms() {
		add("aws_cloudwatch_metric_alarm", id(a.Name), a.terraform(s.Topic))
	}
	add("aws_cloudwatch_dashboard", "dynastay", object{"dashboard_name": "dynastay", "dashboard_body": s.dashboard(ref("data.aws_region.here.region"))})
	return json.MarshalIndent(object{"data": object{"aws_region": object{"here": object{}}}, "resource": resources}, "", "  ")
}

// ref is an expression, which JSON writes as a template.
func ref(expression string) string { return "${" + expression + "}" }

func terraformTable(t provision.Table) object {
	s, in := t.Settings, t.CreateTableInput()
	key := func(body object, n dynastay.KeyNames) object {
		body["hash_key"] = n.Partition
		if n.Sort != "" {
			body["range_key"] = n.Sort
		}
		return body
	}
	encryption := object{"enabled": true}
	if s.KMSKey != "" {
		encryption["kms_key_arn"] = s.KMSKey
	}
	body := key(object{
		"name": t.Name, "billing_mode": in.BillingMode, "deletion_protection_enabled": !s.Deletable, "server_side_encryption": encryption,
		"point_in_time_recovery": object{"enabled": true, "recovery_period_in_days": s.Days()},
		"lifecycle":              lifecycle(t),
	}, t.Schema.Key)
	throughput(body, t, "")
	var attributes, indexes, replicas []any
	for _, a := range in.AttributeDefinitions {
		attributes = append(attributes, object{"name": a.AttributeName, "type": a.AttributeType})
	}
	for i, index := range t.Schema.Indexes {
		one := key(object{"name": index.Name, "projection_type": in.GlobalSecondaryIndexes[i].Projection.ProjectionType}, index.Key)
		if index.Project == dynastay.ProjectInclude {
			one["non_key_attributes"] = index.Include
		}
		throughput(one, t, index.Name)
		indexes = append(indexes, one)
	}
	for _, region := range s.Replicas {
		replicas = append(replicas, object{
			"region_name": region, "point_in_time_recovery": true, "deletion_protection_enabled": !s.Deletable, "propagate_tags": true,
		})
	}
	for name, blocks := range map[string][]any{"attribute": attributes, "global_secondary_index": indexes, "replica": replicas} {
		if blocks != nil {
			body[name] = blocks
		}
	}
	if t.Schema.Stream || replicas != nil { // replication reads it
		body["stream_enabled"], body["stream_view_type"] = true, "NEW_AND_OLD_IMAGES"
	}
	if t.Schema.TTL != "" {
		body["ttl"] = object{"attribute_name": t.Schema.TTL, "enabled": true}
	}
	if s.Tags != nil {
		body["tags"] = s.Tags
	}
	return body
}

// lifecycle keeps the table, and leaves its capacity to target tracking, which Terraform would undo.
func lifecycle(t provision.Table) object {
	body := object{"prevent_destroy": true}
	var ignored []any
	for _, d := range tracked(t) {
		if d.index == "" {
			ignored = append(ignored, strings.ToLower(d.word)+"_capacity")
		}
	}
	if ignored != nil {
		body["ignore_changes"] = ignored
	}
	return body
}

// throughput adds the capacity of a table, for "", or of an index.
func throughput(body object, t provision.Table, index string) {
	s := t.Settings
	if s.Provisioned != nil {
		c := s.Provisioned.Of(index)
		body["read_capacity"], body["write_capacity"] = c.Read.Min, c.Write.Min
	}
	some := func(name, read, write string, u provision.Units) {
		block := object{}
		if u.Read > 0 {
			block[read] = u.Read
		}
		if u.Write > 0 {
			block[write] = u.Write
		}
		if len(block) > 0 {
			body[name] = block
		}
	}
	some("on_demand_throughput", "max_read_request_units", "max_write_request_units", s.Maximum)
	some("warm_throughput", "read_units_per_second", "write_units_per_second", s.Warm)
}

func terraformBackup(add func(kind, name string, body object), s Stack) {
	b := s.Backup
	rule := object{
		"rule_name": "daily", "target_vault_name": ref("aws_backup_vault.dynastay.name"), "schedule": schedule, "lifecycle": object{"delete_after": b.Days},
	}
	if b.CopyTo != "" {
		rule["copy_action"] = object{"destination_vault_arn": b.CopyTo, "lifecycle": object{"delete_after": b.Days}}
	}
	var tables []any
	for _, t := range s.Tables {
		tables = append(tables, ref("aws_dynamodb_table."+id(t.Name)+".arn"))
	}
	policy, err := json.Marshal(assumedByBackup())
	if err != nil {
		panic(err) // it has texts only
	}
	add("aws_backup_vault", "dynastay", object{"name": b.Name, "lifecycle": object{"prevent_destroy": true}})
	add("aws_backup_plan", "dynastay", object{"name": b.Name, "rule": rule})
	add("aws_iam_role", "backup", object{"assume_role_policy": string(policy)})
	add("aws_iam_role_policy_attachment", "backup", object{
		"role": ref("aws_iam_role.backup.name"), "policy_arn": "arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup",
	})
	add("aws_backup_selection", "dynastay", object{
		"name": b.Name, "plan_id": ref("aws_backup_plan.dynastay.id"), "iam_role_arn": ref("aws_iam_role.backup.arn"), "resources": tables,
	})
}

func (a Alarm) terraform(topic string) object {
	body := object{
		"alarm_name": a.Name, "alarm_description": a.Reason, "threshold": a.Above,
		"comparison_operator": "GreaterThanThreshold", "evaluation_periods": a.Of, "datapoints_to_alarm": a.Bad, "treat_missing_data": "notBreaching",
	}
	if topic != "" {
		body["alarm_actions"], body["ok_actions"] = []any{topic}, []any{topic}
	}
	dimensions := map[string]string{}
	for _, d := range a.Dimensions {
		dimensions[d.Name] = d.Value
	}
	seconds := int(a.Period.Seconds())
	if a.Percent == nil {
		body["namespace"], body["metric_name"], body["period"], body["dimensions"] = a.Namespace, a.Metric, seconds, dimensions
		if a.Statistic == percentile {
			body["extended_statistic"] = a.Statistic
		} else {
			body["statistic"] = a.Statistic
		}
		return body
	}
	query := func(id, metric, statistic string) object {
		return object{"id": id, "metric": object{"namespace": dynamoDB, "metric_name": metric, "dimensions": dimensions, "period": seconds, "stat": statistic}}
	}
	queries := []any{
		object{"id": "percent", "label": "percent", "expression": a.Percent.expression(a.Period), "return_data": true},
		query("consumed", a.Percent.Consumed, "Sum"),
	}
	if a.Percent.Capacity != "" {
		queries = append(queries, query("capacity", a.Percent.Capacity, "Average"))
	}
	body["metric_query"] = queries
	return body
}
