package provision_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/provision"
)

// The engines on which a difference is found and mended.
const (
	local  = "a local engine" // that of the other tests
	onMoto = "moto"
)

// differing is a table that is not as it must be.
type differing struct {
	what string
	on   []string // the engines that have it
	had  func(*provision.Table)
	past func(ctx context.Context, client *dynamodb.Client, name string) error // what no Table can say, by other software
	like func(*account)                                                        // the same in an account
	must func(*provision.Table)
	want []string // the differences
	mend provision.Mend
}

func provisioned(c provision.Capacity, index ...provision.Capacity) func(*provision.Table) {
	return func(t *provision.Table) {
		t.Settings.Provisioned = &provision.Provisioned{Capacity: c, Indexes: map[string]provision.Capacity{}}
		for _, of := range index {
			t.Settings.Provisioned.Indexes["Keys"] = of
		}
	}
}

// alone changes a table without indexes: local engines ignore or refuse what is set for an index alone, and moto
// its warm throughput.
func alone(change func(*provision.Table)) func(*provision.Table) {
	return func(t *provision.Table) {
		t.Schema.Indexes = nil
		if change != nil {
			change(t)
		}
	}
}

func maximum(read, write int64) func(*provision.Table) {
	return func(t *provision.Table) { t.Settings.Maximum = provision.Units{Read: read, Write: write} }
}

func fixed(read, write int64) provision.Capacity {
	return provision.Capacity{Read: provision.Fixed(read), Write: provision.Fixed(write)}
}

var both = []string{local, onMoto}

var differingTables = []differing{
	{
		what: "the table does not exist", on: both,
		past: func(ctx context.Context, client *dynamodb.Client, name string) error {
			_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
			return err
		},
		like: func(a *account) { a.table = nil },
		want: []string{"Table must be there, but is none"}, mend: provision.ByApply,
	},
	{
		what: "an index is missing", on: both,
		had:  func(t *provision.Table) { t.Schema.Indexes = t.Schema.Indexes[:2] },
		want: []string{"Index Some must be GSI1PK, SK; INCLUDE Card, Name, but is none"}, mend: provision.ByApply,
	},
	{
		what: "all indexes are missing", on: both,
		had: func(t *provision.Table) { t.Schema.Indexes = nil },
		want: []string{
			"Index All must be GSI1PK, GSI1SK; ALL, but is none", "Index Keys must be GSI2PK; KEYS_ONLY, but is none",
			"Index Some must be GSI1PK, SK; INCLUDE Card, Name, but is none",
		}, mend: provision.ByApply,
	},
	{
		what: "an index has another key", on: both,
		had:  func(t *provision.Table) { t.Schema.Indexes[2].Key.Sort = "GSI1SK" },
		want: []string{"Index Some must be GSI1PK, SK; INCLUDE Card, Name, but is GSI1PK, GSI1SK; INCLUDE Card, Name"}, mend: provision.ByName,
	},
	{
		what: "an index projects less", on: both,
		had:  func(t *provision.Table) { t.Schema.Indexes[2].Include = []string{"Name"} },
		want: []string{"Index Some must be GSI1PK, SK; INCLUDE Card, Name, but is GSI1PK, SK; INCLUDE Name"}, mend: provision.ByName,
	},
	{
		what: "an index projects more", on: both,
		had: func(t *provision.Table) { t.Schema.Indexes[2].Include = []string{"Card", "More", "Name"} },
	},
	{
		what: "there is another index", on: both,
		had: func(t *provision.Table) {
			t.Schema.Indexes = append(t.Schema.Indexes, dynastay.Index{Name: "Old", Key: dynastay.KeyNames{Partition: "GSI2PK"}})
		},
		want: []string{"Index Old must be none, but is GSI2PK; ALL"}, mend: provision.ByName,
	},
	{
		what: "the table has another key", on: both,
		had:  func(t *provision.Table) { t.Schema.Key.Sort = "Sort" },
		want: []string{"Key must be PK, SK, but is PK, Sort"}, mend: provision.ByHand,
	},
	{
		what: "there is no stream", on: []string{local},
		had:  func(t *provision.Table) { t.Schema.Stream = false },
		want: []string{"Stream must be NEW_AND_OLD_IMAGES, but is none"}, mend: provision.ByApply,
	},
	{
		what: "the stream has less", on: []string{local},
		had: func(t *provision.Table) { t.Schema.Stream = false },
		past: func(ctx context.Context, client *dynamodb.Client, name string) error {
			_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, StreamSpecification: &types.StreamSpecification{
				StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly,
			}})
			return err
		},
		like: func(a *account) {
			a.table.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly}
		},
		want: []string{"Stream must be NEW_AND_OLD_IMAGES, but is KEYS_ONLY"}, mend: provision.ByName,
	},
	{
		what: "nothing asks for the stream or the time to live", on: both,
		must: func(t *provision.Table) { t.Schema.Stream, t.Schema.TTL = false, "" },
	},
	{
		what: "nothing expires", on: both,
		had:  func(t *provision.Table) { t.Schema.TTL = "" },
		want: []string{"TTL must be ExpiresAt, but is none"}, mend: provision.ByApply,
	},
	{
		what: "another attribute expires", on: both,
		had:  func(t *provision.Table) { t.Schema.TTL = "Expires" },
		want: []string{"TTL must be ExpiresAt, but is Expires"}, mend: provision.ByName,
	},
	{
		what: "anybody can delete the table", on: both,
		must: func(t *provision.Table) { t.Settings.Deletable = false },
		want: []string{"DeletionProtection must be on, but is off"}, mend: provision.ByApply,
	},
	{
		what: "nobody can delete the table", on: both,
		had: func(t *provision.Table) { t.Settings.Deletable = false },
	},
	{
		what: "there are no backups", on: []string{onMoto},
		past: func(ctx context.Context, client *dynamodb.Client, name string) error {
			_, err := client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
				TableName: &name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(false)},
			})
			return err
		},
		like: func(a *account) { a.backups = nil },
		want: []string{"Recovery must be 35 days, but is none"}, mend: provision.ByApply,
	},
	{
		what: "backups are kept for less time", on: []string{onMoto},
		had:  func(t *provision.Table) { t.Settings.RecoveryDays = 7 },
		want: []string{"Recovery must be 35 days, but is 7 days"}, mend: provision.ByApply,
	},
	{
		what: "backups are kept for more time", on: []string{onMoto},
		must: func(t *provision.Table) { t.Settings.RecoveryDays = 7 },
		want: []string{"Recovery must be 7 days, but is 35 days"}, mend: provision.ByName,
	},
	{
		what: "the table is provisioned", on: both,
		had:  provisioned(fixed(5, 6)),
		want: []string{"Billing must be PAY_PER_REQUEST, but is PROVISIONED"}, mend: provision.ByApply,
	},
	{
		what: "the table is on demand", on: []string{local},
		had: alone(nil), must: alone(provisioned(fixed(5, 6))),
		want: []string{"Billing must be PROVISIONED, but is PAY_PER_REQUEST"}, mend: provision.ByName,
	},
	{
		what: "the table and its indexes are on demand", on: []string{onMoto},
		must: provisioned(fixed(5, 6), fixed(7, 8)),
		want: []string{"Billing must be PROVISIONED, but is PAY_PER_REQUEST"}, mend: provision.ByName,
	},
	{
		what: "the capacity is lower", on: []string{local},
		had: alone(provisioned(fixed(5, 6))), must: alone(provisioned(fixed(5, 7))),
		want: []string{"Capacity must be 5 read and 7 write units, but is 5 read and 6 write units"}, mend: provision.ByApply,
	},
	{
		what: "the capacity is higher", on: []string{local},
		had: alone(provisioned(fixed(5, 6))), must: alone(provisioned(fixed(4, 7))),
		want: []string{"Capacity must be 4 read and 7 write units, but is 5 read and 6 write units"}, mend: provision.ByName,
	},
	{
		what: "the capacity of the table and its indexes is lower", on: []string{onMoto},
		had: provisioned(fixed(5, 6)), must: provisioned(fixed(6, 6), fixed(5, 7)),
		want: []string{
			"Capacity must be 6 read and 6 write units, but is 5 read and 6 write units",
			"Capacity of All must be 6 read and 6 write units, but is 5 read and 6 write units",
			"Capacity of Keys must be 5 read and 7 write units, but is 5 read and 6 write units",
			"Capacity of Some must be 6 read and 6 write units, but is 5 read and 6 write units",
		}, mend: provision.ByApply,
	},
	{
		what: "the capacity is within its scale", on: both,
		had: provisioned(fixed(50, 60)), must: provisioned(provision.Capacity{Read: provision.Scale{Min: 5, Max: 50}, Write: provision.Scale{Min: 60, Max: 100}}),
	},
	{
		what: "the capacity is outside its scale", on: []string{local},
		had: alone(provisioned(fixed(50, 60))), must: alone(provisioned(provision.Capacity{Read: provision.Scale{Min: 51, Max: 100}, Write: provision.Scale{Min: 5, Max: 59}})),
		want: []string{"Capacity must be 51 read and 59 write units, but is 50 read and 60 write units"}, mend: provision.ByName,
	},
	{
		what: "there is no maximum", on: []string{local},
		had:  alone(nil),
		must: alone(maximum(100, 0)),
		want: []string{"Maximum must be 100 read and any write units, but is none"}, mend: provision.ByName,
	},
	{
		what: "the maximum is lower", on: []string{local},
		had:  alone(maximum(100, 100)),
		must: alone(maximum(101, 0)),
		want: []string{"Maximum must be 101 read and any write units, but is 100 read and 100 write units"}, mend: provision.ByApply,
	},
	{
		what: "there is a maximum", on: []string{local},
		had:  alone(maximum(100, 100)),
		must: alone(nil),
		want: []string{"Maximum must be none, but is 100 read and 100 write units"}, mend: provision.ByApply,
	},
	{
		what: "less is warm", on: []string{onMoto},
		had:  alone(nil),
		must: alone(func(t *provision.Table) { t.Settings.Warm = provision.Units{Read: 13_000} }),
		want: []string{"Warm must be 13000 read and 4000 write units, but is 12000 read and 4000 write units"}, mend: provision.ByApply,
	},
	{
		what: "more is warm", on: []string{onMoto},
		must: func(t *provision.Table) { t.Settings.Warm = provision.Units{Read: 11_000, Write: 4_000} },
	},
	{
		what: "tags are missing or different", on: both,
		had:  func(t *provision.Table) { t.Settings.Tags = map[string]string{"stage": "test", "owner": "x"} },
		must: func(t *provision.Table) { t.Settings.Tags = map[string]string{"stage": "production", "team": "desk"} },
		want: []string{"Tags must be stage=production, team=desk, but is stage=test"}, mend: provision.ByApply,
	},
}

// table returns the declaration of a table, changed.
func (d differing) table(name string, change func(*provision.Table)) provision.Table {
	table := provision.Table{Schema: storeSchema(), Name: name, Settings: provision.Settings{Deletable: true}}
	if change != nil {
		change(&table)
	}
	return table
}

// Each difference is found, and Apply makes it disappear, on the engines that have it. What it changes only by name stays
// without the name.
func TestDifferences(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	engines := map[string]*dynamodb.Client{local: db.Engine.Client()}
	if *moto == "" {
		t.Log("NOT RUN: the differences that only moto has: no -moto")
	} else {
		engines[onMoto] = motoClient()
	}
	for _, d := range differingTables {
		for _, on := range d.on {
			if engines[on] == nil {
				continue
			}
			t.Run(on+", "+d.what, func(t *testing.T) {
				t.Parallel()
				d.run(t, engines[on], db.TableName(&dynastay.Schema{Name: strings.ReplaceAll(d.what, " ", "-")}))
			})
		}
	}
}

func (d differing) run(t *testing.T, client *dynamodb.Client, name string) {
	ctx := t.Context()
	deleted(t, client, name)
	require.NoError(t, provision.Apply(ctx, client, []provision.Table{d.table(name, d.had)}, nil))
	if d.past != nil {
		require.NoError(t, d.past(ctx, client, name))
	}
	must := []provision.Table{d.table(name, d.must)}
	r, err := provision.Look(ctx, client, must[0], nil)
	require.NoError(t, err)
	assert.Equal(t, d.want, settings(r.Differences))
	var names []string
	for _, difference := range r.Differences {
		assert.Equal(t, d.mend, difference.Mend)
		assert.NotEmpty(t, difference.Effect)
		names = append(names, difference.Name())
	}
	left := func(err error) {
		t.Helper()
		var differs *provision.TableError
		require.ErrorAs(t, err, &differs)
		assert.Equal(t, d.want, settings(differs.Differences))
		assert.EqualError(t, err, "table "+name+" is not as it must be: "+strings.Join(d.want, "; "))
	}
	if d.mend == provision.ByName {
		left(provision.Apply(ctx, client, must, &provision.Options{Named: []string{"other/" + r.Differences[0].Setting}}))
	}
	err = provision.Apply(ctx, client, must, &provision.Options{Named: names})
	if d.mend == provision.ByHand {
		left(err)
		return
	}
	require.NoError(t, err)
	r, err = provision.Look(ctx, client, must[0], nil)
	require.NoError(t, err)
	assert.Empty(t, r.Differences)
}

// The account of the other tests answers as the engines do.
func TestDifferencesInAnAccount(t *testing.T) {
	t.Parallel()
	for _, d := range differingTables {
		found := d.look(t).Differences
		assert.Equal(t, d.want, settings(found), d.what)
		for _, difference := range found {
			assert.Equal(t, d.mend, difference.Mend, d.what)
		}
	}
}

func (d differing) look(t *testing.T) *provision.Report {
	t.Helper()
	a := newAccount(d.table("prod-Store", d.had))
	if d.like != nil {
		d.like(a)
	}
	r, err := provision.Look(t.Context(), a, d.table("prod-Store", d.must), nil)
	require.NoError(t, err)
	return r
}

// The page of operations has all differences.
func TestPageOfDifferences(t *testing.T) {
	var rows [][]string
	row := func(what string, first provision.Difference, on string) {
		who := map[provision.Mend]string{provision.ByApply: "apply", provision.ByName: "apply, by name", provision.ByHand: "nobody"}[first.Mend]
		rows = append(rows, []string{what, strings.ReplaceAll(first.String(), "|", "\\|"), who, first.Effect, on})
	}
	for _, d := range differingTables {
		if found := d.look(t).Differences; found != nil {
			row(d.what, found[0], strings.Join(d.on, ", "))
		}
	}
	for _, d := range describedTables {
		if found := d.look(t).Differences; found != nil {
			row(d.what, found[0], "*not run*")
		}
	}
	page.Section(t, "docs/operations.md", "differences", page.Table(
		[]string{"what is there", "for example", "changed by", "what the change does", "tried on"}, rows))
}
