package entity_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// tagged is a type of the SDK's tags.
type tagged struct {
	ID      string
	Labels  []string          `dynamodbav:",omitempty"`
	Places  map[string]string `dynamodbav:"Where"`
	Inner   *struct{ A string }
	Beside  string `dynamodbav:"-"`
	hidden  string
	WriteID dynastay.WriteID `dynamodbav:"WriteId"`
}

func openTagged(t *testing.T) (*dyntest.DB, *entity.Table[tagged]) {
	db := dyntest.New(t, dyntest.OnlyTables(bagTable, records))
	return db, entity.NewTable(db.DB, entity.New(entity.Spec[tagged]{
		Name: "Tagged", Schema: bagTable, Codec: entity.Tagged[tagged](), ID: "ID", Prefix: "tag_",
		Key: func(v *tagged) (dynastay.Key, error) { return bagKey(v.ID), nil },
	}))
}

// What a tagged value holds is its caller's own too, also within lists and maps.
func TestTaggedValueIsLeftAlone(t *testing.T) {
	t.Parallel()
	db, table := openTagged(t)
	given := func() *tagged {
		return &tagged{
			Labels: []string{"fragile"}, Places: map[string]string{"shelf": "3"}, Inner: &struct{ A string }{"a"},
			Beside: "beside", hidden: "hidden",
		}
	}
	v := given()
	op := table.CreateOp(v)
	assert.Equal(t, given(), v)
	v.Labels[0], v.Places["shelf"], v.Inner.A = "x", "x", "x"
	require.NoError(t, db.Write(t.Context(), op, dynastay.IdempotencyKey("k")))
	made, want := op.Result(), given()
	assert.Regexp(t, "^tag_", made.ID)
	want.ID, want.WriteID = made.ID, made.WriteID
	assert.Equal(t, want, made, "what has no attribute stays")
	read, err := table.Get(t.Context(), bagKey(made.ID), dynastay.Consistent)
	require.NoError(t, err)
	want.Beside, want.hidden = "", ""
	assert.Equal(t, want, read)

	written := given() // its write id is no part of what a key compares
	written.WriteID = made.WriteID
	again, err := table.Create(t.Context(), written, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, made.ID, again.ID)
}

// A missing attribute reads as the zero value.
func TestTaggedReadsMissingAsZero(t *testing.T) {
	t.Parallel()
	v := tagged{ID: "1", Labels: []string{"a"}, Beside: "beside"}
	require.NoError(t, entity.Tagged[tagged]().Decode(dynastay.RowOf(dynastay.Item{"ID": dynastay.Text("2")}), &v))
	assert.Equal(t, tagged{ID: "2", Beside: "beside"}, v)
	m := map[string]string{"a": "b"}
	require.NoError(t, entity.Tagged[map[string]string]().Decode(dynastay.RowOf(dynastay.Item{"a": dynastay.Text("c")}), &m))
	assert.Equal(t, map[string]string{"a": "c"}, m)
}

type (
	shelf struct{ Row string }
	Place struct {
		Floor string `dynamodbav:",omitempty"`
	}
	Drawer struct{ Depth string }
	Mark   string
	// crate is what attributevalue names in every way.
	crate struct {
		shelf
		*Place
		Mark
		Drawer `dynamodbav:"Drawer"`
		ID     string
		Owner  string  `dynamodbav:"Who,omitempty"`
		Dotted string  `dynamodbav:"a.b,omitempty"`
		Loose  *string `dynamodbav:",omitempty"`
		Beside string  `dynamodbav:"-"`
		hidden string
		Named  struct{} `dynamodbav:",omitempty"`
	}
)

// An item that other software stored is not changed where anything that the struct has an attribute for came in between.
func TestTaggedAttributesAreKnown(t *testing.T) {
	t.Parallel()
	crates := entity.New(entity.Spec[crate]{
		Name: "Crate", Schema: bagTable, Codec: entity.Tagged[crate](),
		Key: func(v *crate) (dynastay.Key, error) { return bagKey(v.ID), nil },
	})
	for name, runs := range map[string]int{
		"Row": 2, "Floor": 2, "Drawer": 2, "Who": 2, "a.b": 2, "Loose": 2, "Mark": 2,
		"Owner": 1, "Beside": 1, "hidden": 1, "shelf": 1, "Place": 1, "Depth": 1, "Unknown": 1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t)
			table := entity.NewTable(c.db.DB, crates)
			c.foreign("1", dynastay.Item{"ID": dynastay.Text("1")})
			c.before("UpdateItem", func(context.Context) {
				between := dynastay.Item{"ID": dynastay.Text("1"), name: dynastay.Text("x")}
				if name == "Drawer" {
					between[name] = &types.AttributeValueMemberM{Value: dynastay.Item{"Depth": dynastay.Text("x")}}
				}
				c.foreign("1", between)
			})
			ran := 0
			now, err := table.Update(t.Context(), bagKey("1"), func(v *crate) error {
				ran++
				v.Named, v.hidden = struct{}{}, "x"
				v.shelf.Row += "y"
				return nil
			})
			if name == "Row" {
				assert.Equal(t, "xy", now.Row)
			}
			require.NoError(t, err)
			assert.Equal(t, runs, ran)
		})
	}
}
