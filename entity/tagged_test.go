package entity_test

import (
	"testing"

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
	read, err := table.Get(t.Context(), bagKey(made.ID), true)
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
