package entity_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

type (
	person struct{ FirstName, Phone string }
	bed    struct {
		Kind  string
		Width float64
		Notes []string
	}
	audit struct{ Clerk string }
	when  struct{ time.Time }

	// visit has fields of every kind, none of which is called as its attribute.
	visit struct {
		Next *visit
		audit
		*person
		when
		ID       string
		Guest    person
		Contact  *person
		Beds     []bed
		Spare    []*bed
		Pair     [2]bed
		Rates    map[string]float64
		Fee, Tip dynastay.Money
		Score    dynastay.Rating
		Arrival  time.Time
		Tags     []string
		Raw      string
		Lone     struct{ Text string }
		Flat     string
		Exit     string
		First    struct{ A, B string }
		Second   struct{ C string }
		Index    string // what the key of the index is refused for, "" for nothing
	}
)

var visitTable = &dynastay.Schema{
	Name: "Visits", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{{Name: "ByGuest", Key: dynastay.KeyNames{Partition: "GuestPK", Sort: "GuestSK"}}},
}

var visits = entity.New(entity.Spec[visit]{
	Name: "Visit", Operations: "visits", Schema: visitTable,
	Key: func(v *visit) (dynastay.Key, error) {
		if v.ID == "#" {
			return dynastay.Key{}, dynastay.Invalid("VisitID", "holds a #")
		}
		return dynastay.Key{PK: "VISIT#" + v.ID, SK: "METADATA"}, nil
	},
	Codec: entity.Declare(func(f *entity.Fields, v *visit) {
		text := func(name string, p *string) func(*entity.Fields) {
			return func(f *entity.Fields) { f.String(name, p) }
		}
		f.String("VisitId", &v.ID)
		f.String("ClerkName", &v.Clerk)
		f.Map("GuestInfo", func(f *entity.Fields) {
			f.String("FirstName", &v.Guest.FirstName)
			f.String("PhoneNumber", &v.Guest.Phone)
		})
		if f.Decoding() {
			v.Contact, v.person = new(person), new(person)
		}
		if v.Contact != nil {
			f.String("ContactName", &v.Contact.FirstName)
		}
		if v.person != nil {
			f.String("PersonName", &v.person.FirstName)
		}
		f.Time("Since", &v.when.Time)
		entity.List(f, "BedConfiguration", &v.Beds, func(f *entity.Fields, b *bed) {
			f.String("Type", &b.Kind)
			f.Float("Metres", &b.Width)
			f.Strings("Remarks", &b.Notes)
		})
		entity.List(f, "SpareBeds", &v.Spare, func(f *entity.Fields, b **bed) {
			if *b != nil {
				f.String("Type", &(*b).Kind)
			}
		})
		f.String("SecondBed", &v.Pair[1].Kind)
		entity.Keyed(f, "NightRates", &v.Rates, func(f *entity.Fields, name string, rate *float64) { f.Float(name, rate) })
		f.Money("FeeAmount", "Currency", &v.Fee)
		f.Money("TipAmount", "Currency", &v.Tip)
		f.Rating("Stars", &v.Score)
		f.Time("ArrivedAt", &v.Arrival)
		f.Strings("TagList", &v.Tags)
		entity.Custom(f, "RawForm", &v.Raw, func(s string) (types.AttributeValue, error) {
			switch s {
			case "":
				return nil, nil
			case "#":
				return nil, dynastay.Invalid("", "holds a #")
			}
			return &types.AttributeValueMemberM{Value: dynastay.Item{"Inner": dynastay.Text(s)}}, nil
		}, func(v dynastay.Value) (string, error) { return v.Map().Text("Inner"), nil })
		f.Map("LoneMap", text("Inner", &v.Lone.Text))
		f.Map("FlatMap", text("Inner", &v.Flat))
		f.Map("Both", func(f *entity.Fields) {
			text("A", &v.First.A)(f)
			text("C", &v.Second.C)(f)
		})
		f.Map("Deep", func(f *entity.Fields) {
			f.Const("Form", "deep")
			f.Map("Inner", text("B", &v.First.B))
		})
		f.String("X", &v.Exit)
		f.String("IndexProblem", &v.Index)
	}),
	Indexes: map[string]func(*visit) (dynastay.Key, error){"ByGuest": func(v *visit) (dynastay.Key, error) {
		switch v.Index {
		case "":
			return dynastay.Key{}, nil
		case "errBoom":
			return dynastay.Key{}, errBoom
		case "PK only":
			return dynastay.Key{PK: "GUEST#1"}, nil
		}
		return dynastay.Key{}, dynastay.Invalid(v.Index, "is refused")
	}},
})

const notUTF8 = "\xff"

// What cannot be stored is refused by the path of the variable, whatever the attribute is called, alone or as one of several
// operations, before any request.
func TestRefusedByTheirOwnNames(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(visitTable))
	table := entity.NewTable(db.DB, visits)
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	stop := db.Faults.Record()
	for _, test := range []struct {
		field, reason string
		edit          func(*visit)
	}{
		{"Guest.FirstName", "must be valid UTF-8", func(v *visit) { v.Guest.FirstName = notUTF8 }},
		{"Guest.Phone", "must be valid UTF-8", func(v *visit) { v.Guest.Phone = notUTF8 }},
		{"Clerk", "must be valid UTF-8", func(v *visit) { v.Clerk = notUTF8 }},
		{"FirstName", "must be valid UTF-8", func(v *visit) { v.person = &person{FirstName: notUTF8} }},
		{"Time", "must be in a year between 1 and 9999, got 10000", func(v *visit) { v.when.Time = late }},
		{"Contact.FirstName", "must be valid UTF-8", func(v *visit) { v.Contact = &person{FirstName: notUTF8} }},
		{"Beds[1].Kind", "must be valid UTF-8", func(v *visit) { v.Beds = []bed{{}, {Kind: notUTF8}} }},
		{"Beds[0].Width", "must be a finite number", func(v *visit) { v.Beds = []bed{{Width: math.NaN()}, {}} }},
		{"Beds[0].Width", "must be 0 or a number from 1e-130 to 1e126", func(v *visit) { v.Beds = []bed{{Width: -1e-131}} }},
		{"Beds[0].Width", "must be 0 or a number from 1e-130 to 1e126", func(v *visit) { v.Beds = []bed{{Width: 1e126}} }},
		{"Beds[1].Notes[2]", "must be valid UTF-8", func(v *visit) { v.Beds = []bed{{}, {Notes: []string{"a", "b", notUTF8}}} }},
		{"Spare[1].Kind", "must be valid UTF-8", func(v *visit) { v.Spare = []*bed{nil, {Kind: notUTF8}} }},
		{"Pair[1].Kind", "must be valid UTF-8", func(v *visit) { v.Pair[1].Kind = notUTF8 }},
		// What stands in a map has no variable that could be named.
		{"NightRates.2025-01-15", "must be a finite number", func(v *visit) { v.Rates = map[string]float64{"2025-01-15": math.Inf(1)} }},
		{"NightRates", "must have keys that are valid UTF-8", func(v *visit) { v.Rates = map[string]float64{notUTF8: 1} }},
		{"Tip", "must be in USD, like the other amounts of the item; got EUR", func(v *visit) {
			v.Fee, v.Tip = dynastay.MustMoney("1", "USD"), dynastay.MustMoney("1", "EUR")
		}},
		{"Score", "must be between 0.0 and 10.0, got 10.1", func(v *visit) { v.Score = 101 }},
		{"Arrival", "must be in a year between 1 and 9999, got 10000", func(v *visit) { v.Arrival = late }},
		{"Tags[1]", "must be valid UTF-8", func(v *visit) { v.Tags = []string{"a", notUTF8} }},
		{"Raw", "holds a #", func(v *visit) { v.Raw = "#" }},
		{"Raw.Inner", "must be valid UTF-8", func(v *visit) { v.Raw = notUTF8 }}, // its form is its own
		{"Exit", "must be valid UTF-8", func(v *visit) { v.Exit = notUTF8 }},
		{"Flat", "must be valid UTF-8", func(v *visit) { v.Flat = notUTF8 }},
		{"First.B", "must be valid UTF-8", func(v *visit) { v.First.B = notUTF8 }},
		{"Exit", "must be valid UTF-8", func(v *visit) { // whatever else is set
			*v = visit{
				ID: "1", audit: audit{"a"}, person: &person{"a", "b"}, when: when{noon}, Guest: person{"a", "b"}, Contact: &person{"a", "b"},
				Beds: []bed{{"a", 1, []string{"a"}}}, Pair: [2]bed{{}, {"a", 1, nil}}, Rates: map[string]float64{"a": 1},
				Fee: dynastay.MustMoney("1", "USD"), Tip: dynastay.MustMoney("2", "USD"), Score: 92, Arrival: noon, Tags: []string{"a"},
				Raw: "a", Flat: "a", Index: "errBoom", Exit: notUTF8,
			}
		}},
		// A value that points to itself has no end of paths.
		{"Guest.FirstName", "must be valid UTF-8", func(v *visit) { v.Guest.FirstName, v.Next = notUTF8, v }},
		{"Guest.FirstName", "must be valid UTF-8", func(v *visit) {
			v.Guest.FirstName, v.Next = notUTF8, &visit{}
			v.Next.Next = v.Next
		}},
		{"ID", "holds a #", func(v *visit) { v.ID = "#" }},
	} {
		v := visit{ID: "1"}
		test.edit(&v)
		reason := invalid(t, db.Write(t.Context(), table.CreateOp(&v)), test.field)
		assert.Equal(t, test.reason, reason, test.field)
		assert.EqualError(t, db.Write(t.Context(), table.CreateOp(&v)),
			"visits.Create: invalid "+test.field+": "+test.reason, test.field)

		err := db.Write(t.Context(), table.PutOp(&visit{ID: "other"}), table.CreateOp(&v))
		assert.Equal(t, reason, invalid(t, err, test.field), test.field)
		placed := blame.As[*dynastay.Error](t, err, test.field)
		assert.Equal(t, "Operations[1]", placed.Entity, test.field)
		assert.EqualError(t, err, "visits.Create: Operations[1]: invalid "+test.field+": "+test.reason, test.field)

		_, err = table.Put(t.Context(), &v)
		assert.Equal(t, reason, invalid(t, err, test.field), test.field)
	}
	assert.Empty(t, stop())
}

// An update's function is refused in the same words.
func TestUpdateRefusedByItsOwnName(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(visitTable))
	table := entity.NewTable(db.DB, visits)
	_, err := table.Create(t.Context(), &visit{ID: "1"})
	require.NoError(t, err)
	at := dynastay.Key{PK: "VISIT#1", SK: "METADATA"}
	update := func(edit func(*visit)) *dynastay.Operation[*visit] {
		return table.UpdateOp(at, func(v *visit) error { edit(v); return nil })
	}
	for field, edit := range map[string]func(*visit){
		"Guest.FirstName": func(v *visit) { v.Guest.FirstName = notUTF8 },
		"Tags[0]":         func(v *visit) { v.Tags = []string{notUTF8} },
		"ID":              func(v *visit) { v.ID = "#" },
	} {
		invalid(t, db.Write(t.Context(), update(edit)), field)
		err := db.Write(t.Context(), table.PutOp(&visit{ID: "other"}), update(edit))
		invalid(t, err, field)
		placed := blame.As[*dynastay.Error](t, err, field)
		assert.Equal(t, "Operations[1]", placed.Entity, field)
	}
	_, err = table.Get(t.Context(), dynastay.Key{PK: "VISIT#other", SK: "METADATA"}, dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "nothing is half-written")
}

// The error of an index's key names the index and its attribute, and the field by the entity's own name.
func TestIndexKeyRefused(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(visitTable))
	table := entity.NewTable(db.DB, visits)
	for _, test := range []struct{ problem, attribute, field string }{
		{"VisitID", "GuestPK", "ID"},
		{"visitid", "GuestPK", "ID"},
		{"GuestInfo.phonenumber", "GuestPK", "Guest.Phone"},
		{"lonemap", "GuestPK", "Lone"}, // a map that is declared
		{"GuestID", "GuestPK", "GuestID"},
		{"PK only", "GuestSK", "GuestSK"},
	} {
		v := visit{ID: "1", Index: test.problem}
		assert.Empty(t, func() []dyntest.Request {
			stop := db.Faults.Record()
			_, err := table.Create(t.Context(), &v)
			reason := invalid(t, err, test.field)
			failed := blame.As[*dynastay.Error](t, err)
			assert.Equal(t, &dynastay.Error{Entity: "ByGuest", Field: test.attribute, Err: failed.Err}, failed)
			assert.EqualError(t, err, "visits.Create: ByGuest ("+test.attribute+"): invalid "+test.field+": "+reason)

			err = db.Write(t.Context(), table.PutOp(&visit{ID: "other"}), table.CreateOp(&v))
			invalid(t, err, test.field)
			assert.True(t, strings.HasPrefix(err.Error(), "visits.Create: Operations[1]: ByGuest ("), "%s", err)
			return stop()
		}())
	}
	_, err := table.Create(t.Context(), &visit{ID: "1", Index: "errBoom"})
	assert.ErrorIs(t, err, errBoom)
	assert.False(t, errors.Is(err, dynastay.ErrInvalid))
	_, err = table.Create(t.Context(), &visit{ID: "1", Index: "PK only"})
	assert.ErrorContains(t, err, "invalid GuestSK: must not be empty")
}

// A map that is kept is named by what its attributes' variables have in common.
func TestMapsAreNamedByTheirVariables(t *testing.T) {
	t.Parallel()
	for attribute, test := range map[string]struct {
		field string
		edit  func(*visit)
	}{
		"GuestInfo":        {"Guest", func(v *visit) { v.Guest.Phone = "1" }},
		"LoneMap":          {"Lone", func(v *visit) { v.Lone.Text = "a" }},
		"FlatMap":          {"FlatMap", func(v *visit) { v.Flat = "a" }},
		"Both":             {"Both", func(v *visit) { v.Second.C = "a" }},
		"Deep":             {"First", func(v *visit) { v.First.B = "a" }},
		"TagList":          {"Tags", func(v *visit) { v.Tags = []string{"a"} }},
		"BedConfiguration": {"Beds", func(v *visit) { v.Beds = []bed{{}} }},
		"NightRates":       {"NightRates", func(v *visit) { v.Rates = map[string]float64{"a": 1} }},
		"ContactName":      {"Contact.FirstName", func(v *visit) { v.Contact = &person{FirstName: "a"} }},
	} {
		spec := visits.Spec
		spec.Kept = []string{}
		if attribute != "ContactName" {
			spec.Kept = []string{attribute}
		} else {
			spec.Codec = entity.Declare(func(f *entity.Fields, v *visit) {
				f.String("VisitId", &v.ID)
				if v.Contact == nil {
					v.Contact = new(person)
				}
				f.String("ContactName", &v.Contact.FirstName)
			})
			spec.Indexes, spec.Kept = nil, []string{"ContactName"}
		}
		table := entity.NewTable(dynastay.Open(nil, nil), entity.New(spec))
		item := dynastay.Item{"PK": dynastay.Text("VISIT#1"), "SK": dynastay.Text("METADATA"), "VisitId": dynastay.Text("1")}
		_, err := table.ChangeOf(dynastay.Key{PK: "VISIT#1", SK: "METADATA"}, dynastay.RowOf(item), func(v *visit) error {
			test.edit(v)
			return nil
		})
		assert.Equal(t, "is managed by the library and cannot be changed", invalid(t, err, test.field), attribute)
	}
}
