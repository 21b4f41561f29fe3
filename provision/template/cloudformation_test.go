package template_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
	"github.com/dynastay/dynastay/provision/template"
)

// stacks are all forms of a stack.
func stacks() map[string]template.Stack {
	tuned := provision.Hotel("prod-", "")
	for i := range tuned {
		tuned[i].Settings.Tags = map[string]string{"stage": "production", "team": "desk"}
		tuned[i].Settings.RecoveryDays = 14
		tuned[i].Settings.KMSKey = "arn:aws:kms:eu-central-1:123456789012:key/36e296a9-8e15-4cfb-b9de-184296c2fa33"
		if tuned[i].Schema == keys.AvailabilityTable {
			tuned[i].Settings.Provisioned.Indexes = map[string]provision.Capacity{
				tuned[i].Schema.Indexes[0].Name: {Read: provision.Fixed(5), Write: provision.Scale{Min: 5, Max: 500, Target: 50}},
			}
		} else {
			tuned[i].Settings.Maximum = provision.Units{Read: 5_000, Write: 2_000}
			tuned[i].Settings.Warm = provision.Units{Read: 15_000, Write: 5_000}
		}
	}
	global := provision.Tables("prod-", "", keys.Tables()...)
	for i := range global {
		global[i].Settings = provision.Settings{
			Replicas: []string{"eu-west-1", "us-east-1"}, Tags: map[string]string{"stage": "production"}, Deletable: i == 0,
			Maximum: provision.Units{Read: int64(1_000 * i), Write: int64(1_000 * (i % 3))},
		}
	}
	return map[string]template.Stack{
		"plain": {Tables: provision.Hotel("prod-", "")},
		"tuned": {
			Tables: tuned, Application: true, Topic: "arn:aws:sns:eu-central-1:123456789012:desk",
			Backup: &template.Backup{Name: "hotel", Days: 35, CopyTo: "arn:aws:backup:eu-west-1:123456789012:backup-vault:hotel"},
		},
		"global": {Tables: global, Backup: &template.Backup{Name: "hotel", Days: 35}},
	}
}

type resource struct {
	Type                                string
	Properties                          json.RawMessage
	DeletionPolicy, UpdateReplacePolicy string
}

func resources(t *testing.T, s template.Stack) map[string]resource {
	t.Helper()
	text, err := template.CloudFormation(s)
	require.NoError(t, err)
	var read struct{ Resources map[string]resource }
	require.NoError(t, json.Unmarshal(text, &read))
	return read.Resources
}

// readBack is what CloudFormation says in other words than CreateTable.
type readBack struct {
	dynamodb.CreateTableInput
	SSESpecification struct {
		SSEEnabled              bool
		SSEType, KMSMasterKeyId string
	}
	StreamSpecification              *struct{ StreamViewType types.StreamViewType }
	TimeToLiveSpecification          *types.TimeToLiveSpecification
	PointInTimeRecoverySpecification types.PointInTimeRecoverySpecification
}

// The table of a template is the one that Apply creates.
func TestTablesOfATemplate(t *testing.T) {
	for name, s := range stacks() {
		if name == "global" {
			continue
		}
		read := resources(t, s)
		for _, table := range s.Tables {
			id := "Prod" + table.Schema.Name
			assert.Equal(t, []string{"AWS::DynamoDB::Table", "Retain", "Retain"}, []string{read[id].Type, read[id].DeletionPolicy, read[id].UpdateReplacePolicy})
			var p readBack
			require.NoError(t, json.Unmarshal(read[id].Properties, &p))
			got := p.CreateTableInput
			got.SSESpecification = &types.SSESpecification{Enabled: &p.SSESpecification.SSEEnabled, SSEType: types.SSEType(p.SSESpecification.SSEType)}
			if p.SSESpecification.KMSMasterKeyId != "" {
				got.SSESpecification.KMSMasterKeyId = &p.SSESpecification.KMSMasterKeyId
			}
			if p.StreamSpecification != nil {
				got.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: p.StreamSpecification.StreamViewType}
			}
			assert.Equal(t, table.CreateTableInput(), &got)
			require.Equal(t, table.Schema.TTL != "", p.TimeToLiveSpecification != nil)
			if table.Schema.TTL != "" {
				assert.Equal(t, types.TimeToLiveSpecification{AttributeName: &table.Schema.TTL, Enabled: aws.Bool(true)}, *p.TimeToLiveSpecification)
			}
			assert.EqualValues(t, table.Settings.Days(), *p.PointInTimeRecoverySpecification.RecoveryPeriodInDays)
			assert.True(t, *p.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled)
		}
	}
}

func propertiesOf(t *testing.T, r resource) (p map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.Properties, &p))
	return p
}

// What changes by itself has a target and a policy, and what does not has none.
func TestScalingOfATemplate(t *testing.T) {
	read := resources(t, stacks()["tuned"])
	var names []string
	for name, r := range read {
		if r.Type == "AWS::ApplicationAutoScaling::ScalableTarget" {
			names = append(names, name)
		}
	}
	assert.ElementsMatch(t, []string{
		"ProdAvailabilityReadScale", "ProdAvailabilityWriteScale", "ProdAvailabilityGSI1PropertyDateIndexWriteScale",
	}, names, "the reads of the index are fixed")
	assert.Equal(t, map[string]any{
		"ServiceNamespace": "dynamodb", "ResourceId": "table/prod-Availability/index/GSI1-PropertyDateIndex",
		"ScalableDimension": "dynamodb:index:WriteCapacityUnits", "MinCapacity": 5.0, "MaxCapacity": 500.0,
	}, propertiesOf(t, read["ProdAvailabilityGSI1PropertyDateIndexWriteScale"]))
	assert.Equal(t, "dynamodb:table:ReadCapacityUnits", propertiesOf(t, read["ProdAvailabilityReadScale"])["ScalableDimension"])
	policy := propertiesOf(t, read["ProdAvailabilityGSI1PropertyDateIndexWriteTracking"])["TargetTrackingScalingPolicyConfiguration"]
	assert.Equal(t, map[string]any{
		"TargetValue": 50.0, "PredefinedMetricSpecification": map[string]any{"PredefinedMetricType": "DynamoDBWriteCapacityUtilization"},
	}, policy)
	policy = propertiesOf(t, read["ProdAvailabilityReadTracking"])["TargetTrackingScalingPolicyConfiguration"]
	assert.Equal(t, 70.0, policy.(map[string]any)["TargetValue"])
}

func TestBackupOfATemplate(t *testing.T) {
	s := stacks()["tuned"]
	read := resources(t, s)
	rule := propertiesOf(t, read["BackupPlan"])["BackupPlan"].(map[string]any)["BackupPlanRule"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{"DeleteAfterDays": 35.0}, rule["Lifecycle"])
	assert.Equal(t, []any{map[string]any{
		"DestinationBackupVaultArn": s.Backup.CopyTo, "Lifecycle": map[string]any{"DeleteAfterDays": 35.0},
	}}, rule["CopyActions"])
	selection := propertiesOf(t, read["BackupSelection"])["BackupSelection"].(map[string]any)
	assert.Len(t, selection["Resources"], len(s.Tables))
	assert.Equal(t, "Retain", read["BackupVault"].DeletionPolicy)
	assert.NotContains(t, resources(t, stacks()["plain"]), "BackupPlan")
	rule = propertiesOf(t, resources(t, stacks()["global"])["BackupPlan"])["BackupPlan"].(map[string]any)["BackupPlanRule"].([]any)[0].(map[string]any)
	assert.NotContains(t, rule, "CopyActions")
}

// The settings of a table with replicas are those of each region.
func TestReplicasOfATemplate(t *testing.T) {
	s := stacks()["global"]
	read := resources(t, s)
	for i, table := range s.Tables {
		r := read["Prod"+table.Schema.Name]
		assert.Equal(t, []string{"AWS::DynamoDB::GlobalTable", "Retain"}, []string{r.Type, r.DeletionPolicy})
		p := propertiesOf(t, r)
		assert.NotContains(t, p, "MultiRegionConsistency")
		assert.Equal(t, map[string]any{"StreamViewType": "NEW_AND_OLD_IMAGES"}, p["StreamSpecification"], "also without consumers: replication reads it")
		assert.Equal(t, table.Settings.Maximum.Write > 0, p["WriteOnDemandThroughputSettings"] != nil)
		replicas := p["Replicas"].([]any)
		require.Len(t, replicas, 3)
		for n, region := range []any{map[string]any{"Ref": "AWS::Region"}, "eu-west-1", "us-east-1"} {
			replica := replicas[n].(map[string]any)
			assert.Equal(t, region, replica["Region"])
			assert.Equal(t, i != 0, replica["DeletionProtectionEnabled"])
			assert.Equal(t, map[string]any{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 35.0}, replica["PointInTimeRecoverySpecification"])
			assert.Equal(t, []any{map[string]any{"Key": "stage", "Value": "production"}}, replica["Tags"])
			if most := table.Settings.Maximum.Read; most > 0 {
				assert.Equal(t, map[string]any{"MaxReadRequestUnits": float64(most)}, replica["ReadOnDemandThroughputSettings"])
				indexes, _ := replica["GlobalSecondaryIndexes"].([]any)
				assert.Len(t, indexes, len(table.Schema.Indexes))
			} else {
				assert.NotContains(t, replica, "ReadOnDemandThroughputSettings")
			}
		}
	}
}

// An alarm that watches a quotient has the metrics of it, and every alarm says why.
func TestAlarmsOfATemplate(t *testing.T) {
	s := stacks()["tuned"]
	read := resources(t, s)
	for _, a := range s.Alarms() {
		var found map[string]any
		for _, r := range read {
			if p := propertiesOf(t, r); r.Type == "AWS::CloudWatch::Alarm" && p["AlarmName"] == a.Name {
				found = p
			}
		}
		if !assert.NotNil(t, found, a.Name) {
			continue
		}
		assert.Equal(t, a.Reason, found["AlarmDescription"])
		assert.Equal(t, []any{s.Topic}, found["AlarmActions"])
		assert.Equal(t, []any{a.Above, float64(a.Bad), float64(a.Of)}, []any{found["Threshold"], found["DatapointsToAlarm"], found["EvaluationPeriods"]})
		if a.Percent == nil {
			assert.Equal(t, a.Metric, found["MetricName"])
			continue
		}
		first := found["Metrics"].([]any)[0].(map[string]any)
		if a.Percent.Capacity == "" {
			assert.Equal(t, fmt.Sprintf("100 * consumed / (%d * 60)", a.Percent.PerSecond), first["Expression"])
			assert.Len(t, found["Metrics"], 2)
		} else {
			assert.Equal(t, "100 * consumed / (capacity * 60)", first["Expression"])
			assert.Len(t, found["Metrics"], 3)
		}
	}
}

// A template is smaller than what CloudFormation takes. With -templates, they stay in a directory, for linters.
func TestSizeOfTemplates(t *testing.T) {
	dir := cmp.Or(*templates, t.TempDir())
	for name, s := range stacks() {
		text, err := template.CloudFormation(s)
		require.NoError(t, err)
		assert.Less(t, len(text), 1<<20)
		assert.Less(t, len(resources(t, s)), 500)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".json"), text, 0o600))
	}
}
