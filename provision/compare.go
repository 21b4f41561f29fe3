package provision

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// comparison collects what differs, in the order in which Apply changes it: what protects the data first, then what takes
// longer, the indexes after all else but the time to live, of which DynamoDB may refuse a change for an hour.
type comparison struct {
	t Table
	*seen
	Report
}

func (o *Options) compare(ctx context.Context, t Table, s *seen) (*Report, error) {
	c := &comparison{t: t, seen: s, Report: Report{Table: t.Name}}
	if s.table == nil {
		c.add(Difference{
			Setting: "Table", Want: "there", Have: none, Mend: ByApply,
			Effect: "Creates the table, which is empty.",
			change: func(ctx context.Context, control Control) error {
				_, err := control.CreateTable(ctx, t.CreateTableInput())
				return err
			},
		})
		return &c.Report, nil
	}
	c.Items, c.Bytes = aws.ToInt64(s.table.ItemCount), aws.ToInt64(s.table.TableSizeBytes)
	if c.identity(); !s.known() {
		return &c.Report, nil
	}
	for _, compare := range []func(){
		c.protection, c.recovery, c.encryption, c.billing, c.capacity, c.maximum, c.warm, c.stream, c.labels, c.replicas,
		c.indexes, c.expiry,
	} {
		compare()
	}
	return &c.Report, o.scaling(ctx, c)
}

func (c *comparison) add(d Difference) {
	d.Table = c.t.Name
	c.Differences = append(c.Differences, d)
}

func (c *comparison) unchecked(setting, reason string) {
	c.Unchecked = append(c.Unchecked, Unchecked{setting, reason})
}

// update returns a change that is one UpdateTable.
func (c *comparison) update(set func(in *dynamodb.UpdateTableInput)) func(context.Context, Control) error {
	in := &dynamodb.UpdateTableInput{TableName: &c.t.Name}
	set(in)
	return func(ctx context.Context, control Control) error {
		_, err := control.UpdateTable(ctx, in)
		return err
	}
}

// identity is what makes a table another one, so that nothing of it may be changed.
func (c *comparison) identity() {
	if want, have := keyText(keySchema(c.t.Schema.Key), nil), c.keyText(c.table.KeySchema); want != have {
		c.add(Difference{
			Setting: "Key", Want: want, Have: have, Mend: ByHand, foreign: true,
			Effect: "The key of a table cannot be changed: create a table with another name, and move the items.",
		})
	}
	switch status := c.table.TableStatus; {
	case status == types.TableStatusActive:
	case passes(status):
		c.passing("Status", string(status))
	default:
		c.add(Difference{
			Setting: "Status", Want: string(types.TableStatusActive), Have: string(status), Mend: ByHand, foreign: true,
			Effect: "DynamoDB does not serve the table, or does not change it, while it has this status. If it has lost its key, give it access " +
				"again. If it is archived, restore its backup.",
		})
	}
	if c.table.MultiRegionConsistency == types.MultiRegionConsistencyStrong {
		c.add(Difference{
			Setting: "Consistency", Want: string(types.MultiRegionConsistencyEventual), Have: string(types.MultiRegionConsistencyStrong),
			Mend: ByHand, foreign: true,
			Effect: "Tables with multi-region strong consistency have no transactions, without which a room could be sold twice. " +
				"It cannot be turned off: create another table, and move the items.",
		})
	}
	for _, local := range c.table.LocalSecondaryIndexes {
		c.add(Difference{
			Setting: "LocalIndex " + aws.ToString(local.IndexName), Want: none,
			Have: c.keyText(local.KeySchema) + "; " + projectionText(local.Projection), Mend: ByHand,
			Effect: "Each write pays for it, and limits a partition to 10 GB. It can be deleted only with its table.",
		})
	}
}

// passing adds a status that passes by itself. It has no change: Apply waits before it compares.
func (c *comparison) passing(setting, status string) {
	c.add(Difference{
		Setting: setting, Want: string(types.TableStatusActive), Have: status, Mend: ByApply,
		Effect: "DynamoDB is at work. Apply waits until it has finished.",
	})
}

func (c *comparison) protection() {
	on := c.table.DeletionProtectionEnabled
	if c.t.Settings.Deletable || aws.ToBool(on) {
		return
	}
	if on == nil {
		c.unchecked("DeletionProtection", "the engine does not say")
		return
	}
	c.add(Difference{
		Setting: "DeletionProtection", Want: "on", Have: "off", Mend: ByApply,
		Effect: "Nobody can delete the table until it is turned off again. Readers and writers do not notice.",
		change: c.update(func(in *dynamodb.UpdateTableInput) { in.DeletionProtectionEnabled = aws.Bool(true) }),
	})
}

func (c *comparison) recovery() {
	if c.backups == nil {
		c.unchecked("Recovery", "the engine has no point-in-time recovery")
		return
	}
	days := c.t.Settings.Days()
	d := Difference{
		Setting: "Recovery", Want: fmt.Sprint(days, " days"), Have: none, Mend: ByApply,
		Effect: fmt.Sprintf("The table can be restored to any second of that time, from now on. It costs by size: %s. "+
			"Readers and writers do not notice.", sizeText(c.Bytes)),
		change: func(ctx context.Context, control Control) error {
			_, err := control.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
				TableName: &c.t.Name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
					PointInTimeRecoveryEnabled: aws.Bool(true), RecoveryPeriodInDays: aws.Int32(int32(days)),
				},
			})
			return err
		},
	}
	if c.backups.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled {
		have := int(cmp.Or(aws.ToInt32(c.backups.RecoveryPeriodInDays), maxRecoveryDays))
		d.Have = fmt.Sprint(have, " days")
		switch {
		case have == days:
			return
		case have > days:
			d.Mend, d.Effect = ByName, "Backups that are older than that are lost at once."
		}
	}
	c.add(d)
}

func (c *comparison) encryption() {
	want, e := c.t.Settings.KMSKey, c.table.SSEDescription
	d := Difference{
		Setting: "Encryption", Want: cmp.Or(want, "AWS managed key"), Mend: ByApply,
		change: c.update(func(in *dynamodb.UpdateTableInput) { in.SSESpecification = c.t.Settings.encryption() }),
	}
	d.Effect = "Calls of AWS KMS cost by request. Readers and writers do not notice."
	if want != "" {
		d.Mend = ByName
		d.Effect = "Every role that uses the table needs kms:Decrypt on the key first, or its requests fail. Without the key, nobody can ever " +
			"read the table again."
	}
	switch {
	case e == nil || e.SSEType != types.SSETypeKms || e.Status == types.SSEStatusDisabled || e.Status == types.SSEStatusDisabling:
		if d.Have = "AWS owned key"; c.backups == nil {
			c.unchecked("Encryption", "the engine does not say")
			return
		}
	case want == "":
		return // with a customer's key it is encrypted even better
	case !strings.Contains(want, ":key/"):
		c.unchecked("Encryption", "DynamoDB says which key it is, not which id or alias it has: "+aws.ToString(e.KMSMasterKeyArn))
		return
	default:
		if d.Have = aws.ToString(e.KMSMasterKeyArn); d.Have == want {
			return
		}
	}
	c.add(d)
}

func (c *comparison) stream() {
	if !c.t.streamed() {
		return // somebody else may need one
	}
	want, have, s := types.StreamViewTypeNewAndOldImages, none, c.table.StreamSpecification
	if s != nil && aws.ToBool(s.StreamEnabled) {
		have = string(s.StreamViewType)
	}
	enabled := &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: want}
	switch have {
	case string(want):
	case none:
		c.add(Difference{
			Setting: "Stream", Want: string(want), Have: have, Mend: ByApply,
			Effect: "Consumers get the changes from now on. Writers do not notice; reading the stream costs by request.",
			change: c.update(func(in *dynamodb.UpdateTableInput) { in.StreamSpecification = enabled }),
		})
	default:
		c.add(Difference{
			Setting: "Stream", Want: string(want), Have: have, Mend: ByName,
			Effect: "The stream ends, and another one begins. Its consumers must be moved to that, and have to read what the old one holds before.",
			change: c.update(func(in *dynamodb.UpdateTableInput) {
				in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(false)}
			}),
		})
	}
}

func (c *comparison) labels() {
	if c.tags == nil {
		c.unchecked("Tags", "the engine has no tags")
		return
	}
	missing := &dynamodb.TagResourceInput{ResourceArn: c.table.TableArn}
	var want, have []string
	for _, k := range slices.Sorted(maps.Keys(c.t.Settings.Tags)) {
		value, has := c.tags[k]
		if wanted := c.t.Settings.Tags[k]; !has || value != wanted {
			missing.Tags = append(missing.Tags, types.Tag{Key: &k, Value: &wanted})
			want = append(want, k+"="+wanted)
			if has {
				have = append(have, k+"="+value)
			}
		}
	}
	if want == nil {
		return
	}
	c.add(Difference{
		Setting: "Tags", Want: strings.Join(want, ", "), Have: cmp.Or(strings.Join(have, ", "), none), Mend: ByApply,
		Effect: "Bills can be split by it. Readers and writers do not notice; policies that depend on tags may decide otherwise.",
		change: func(ctx context.Context, control Control) error {
			_, err := control.TagResource(ctx, missing)
			return err
		},
	})
}

func (c *comparison) expiry() {
	want := c.t.Schema.TTL
	if want == "" {
		return
	}
	have := none
	if d := c.ttl; d != nil && (d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		have = aws.ToString(d.AttributeName)
	}
	change := func(attribute string, on bool) func(context.Context, Control) error {
		return func(ctx context.Context, control Control) error {
			_, err := control.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
				TableName: &c.t.Name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &on},
			})
			return err
		}
	}
	switch have {
	case want:
	case none:
		c.add(Difference{
			Setting: "TTL", Want: want, Have: have, Mend: ByApply,
			Effect: "Within some days, items are deleted whose time in " + want + " has passed; that costs nothing, and appears in the stream.",
			change: change(want, true),
		})
	default:
		c.add(Difference{
			Setting: "TTL", Want: want, Have: have, Mend: ByName,
			Effect: "Turns it off. DynamoDB accepts the other attribute about an hour later: apply again then. Until that, nothing expires.",
			change: change(have, false),
		})
	}
}

func (c *comparison) replicas() {
	there := map[string]types.ReplicaStatus{}
	for _, r := range c.table.Replicas {
		there[aws.ToString(r.RegionName)] = r.ReplicaStatus
	}
	for _, region := range c.t.Settings.Replicas {
		if status, is := there[region]; is {
			delete(there, region)
			c.replica(region, status)
			continue
		}
		c.add(Difference{
			Setting: "Replica " + region, Want: "there", Have: none, Mend: ByName,
			Effect: fmt.Sprintf("DynamoDB copies %s to the region, and every write is paid for there too. Transactions hold within one region only, "+
				"and the last writer wins: each property must be written from one region.", sizeText(c.Bytes)),
			change: c.update(func(in *dynamodb.UpdateTableInput) {
				in.ReplicaUpdates = []types.ReplicationGroupUpdate{{Create: &types.CreateReplicationGroupMemberAction{RegionName: &region}}}
			}),
		})
	}
	for _, region := range slices.Sorted(maps.Keys(there)) {
		if c.ownRegion() == region {
			continue
		}
		c.add(Difference{
			Setting: "Replica " + region, Want: none, Have: "there", Mend: ByHand,
			Effect: "Deleting a replica deletes what the region has, with all that its applications read there.",
		})
	}
}

// replica adds the status of a replica that must be there, unless it is active.
func (c *comparison) replica(region string, status types.ReplicaStatus) {
	switch setting := "Replica " + region; {
	case status == types.ReplicaStatusActive:
	case replicating(status):
		c.passing(setting, string(status))
	default:
		c.add(Difference{
			Setting: setting, Want: string(types.ReplicaStatusActive), Have: string(status), Mend: ByHand,
			Effect: "DynamoDB does not copy writes to the region while its replica has this status.",
		})
	}
}

// ownRegion is the region of the table itself, which DynamoDB lists with the replicas too.
func (c *comparison) ownRegion() string {
	if parts := strings.Split(aws.ToString(c.table.TableArn), ":"); len(parts) > 3 {
		return parts[3]
	}
	return ""
}

func sizeText(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
}
