package racing_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// boat has all that can go stale: a name that is its alone, a berth in another item that follows it, rows in two indexes, a
// label and a plate. It has no version, which would notice every other write by itself.
type boat struct {
	ID, Name, Harbour, Flag string
	Length                  int
	Afloat                  bool
}

var fleet = &dynastay.Schema{
	Name: "Fleet", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{
		{Name: "ByHarbour", Key: dynastay.KeyNames{Partition: "HarbourPK", Sort: "HarbourSK"}, Project: dynastay.ProjectKeys},
		{Name: "ByFlag", Key: dynastay.KeyNames{Partition: "FlagPK", Sort: "FlagSK"}, Project: dynastay.ProjectKeys},
	},
}

func boatKey(id string) dynastay.Key { return dynastay.Key{PK: "BOAT#" + id, SK: "METADATA"} }

func berthKey(b *boat) dynastay.Key {
	return dynastay.Key{PK: "HARBOUR#" + b.Harbour, SK: "BOAT#" + b.ID}
}

var boats = entity.New(entity.Spec[boat]{
	Name: "Boat", Operations: "boats", Schema: fleet,
	Key: func(b *boat) (dynastay.Key, error) { return boatKey(b.ID), nil },
	Codec: entity.Declare(func(f *entity.Fields, b *boat) {
		f.String("BoatId", &b.ID)
		f.String("Name", &b.Name)
		f.String("Harbour", &b.Harbour)
		f.String("Flag", &b.Flag)
		f.Int("Length", &b.Length)
		f.Bool("Afloat", &b.Afloat)
	}),
	Indexes: map[string]func(*boat) (dynastay.Key, error){
		"ByHarbour": func(b *boat) (dynastay.Key, error) {
			if !b.Afloat {
				return dynastay.Key{}, nil
			}
			return dynastay.Key{PK: b.Harbour, SK: fmt.Sprintf("%03d#%s", b.Length, b.ID)}, nil
		},
		"ByFlag": func(b *boat) (dynastay.Key, error) {
			if b.Flag == "" || !b.Afloat {
				return dynastay.Key{}, nil
			}
			return dynastay.Key{PK: b.Flag, SK: b.Name + "#" + b.ID}, nil
		},
	},
	Derived: []entity.Derived[boat]{
		entity.CopyOf[boat]("Plate.Name", "Name"),
		entity.CopyOf[boat]("Plate.Harbour", "Harbour"),
		{Name: "Label", Value: func(b *boat) (types.AttributeValue, error) {
			return dynastay.Text(fmt.Sprintf("%s of %s, %d m", b.Name, b.Harbour, b.Length)), nil
		}},
	},
	Unique: []entity.Unique[boat]{{
		Field: "Name", Owner: []string{"BoatId"}, Mark: map[string]string{"Kind": "Guard"},
		Guard: func(b *boat) (dynastay.Key, error) { return dynastay.Key{PK: "NAME#" + b.Name, SK: "GUARD"}, nil },
	}},
	Follow: func(tx *dynastay.Tx, before, after *boat) error {
		switch {
		case before == nil:
			tx.Put(fleet, berth(after))
		case after == nil:
			tx.Delete(fleet, berthKey(before))
		case berthKey(before) != berthKey(after):
			tx.Delete(fleet, berthKey(before))
			tx.Put(fleet, berth(after))
		case before.Length != after.Length:
			expr, err := expression.NewBuilder().WithUpdate(
				expression.Set(dynastay.NameOf("Length"), expression.Value(after.Length))).Build()
			if err != nil {
				return err
			}
			tx.Update(fleet, berthKey(after), dynastay.Expr{
				Update: expr.Update(), Names: expr.Names(), Values: expr.Values(),
			})
		}
		return nil
	},
})

// berth is the item in the harbour that follows a boat.
func berth(b *boat) dynastay.Item {
	item := fleet.Key.Of(berthKey(b))
	item["Length"] = dynastay.Number(b.Length)
	return item
}

type plain = map[string]any

// scan reads the whole table, by the keys of its items, without the write ids.
func scan(t *testing.T, db *dyntest.DB) map[string]plain {
	items := map[string]plain{}
	for _, m := range raw.Plains(t, raw.All(t, db, fleet)) {
		delete(m, "WriteId")
		delete(m, "Elsewhere")
		items[m["PK"].(string)+" "+m["SK"].(string)] = m
	}
	return items
}

// checkFleet compares the whole table with what follows from the boats' own attributes: it holds nothing else.
func checkFleet(t *testing.T, db *dyntest.DB) {
	t.Helper()
	got, want := scan(t, db), map[string]plain{}
	for key, item := range got {
		id, ok := strings.CutPrefix(key, "BOAT#")
		if !ok {
			continue
		}
		id = strings.TrimSuffix(id, " METADATA")
		name, harbour, flag := item["Name"].(string), item["Harbour"].(string), item["Flag"]
		length, afloat := item["Length"].(float64), item["Afloat"].(bool)
		boat := plain{
			"PK": "BOAT#" + id, "SK": "METADATA",
			"BoatId": id, "Name": name, "Harbour": harbour, "Length": length, "Afloat": afloat,
			"Label": fmt.Sprintf("%s of %s, %.0f m", name, harbour, length), "Plate": plain{"Name": name, "Harbour": harbour},
		}
		if afloat {
			boat["HarbourPK"], boat["HarbourSK"] = harbour, fmt.Sprintf("%03.0f#%s", length, id)
		}
		if flag != nil {
			boat["Flag"] = flag
			if afloat {
				boat["FlagPK"], boat["FlagSK"] = flag, name+"#"+id
			}
		}
		want[key] = boat
		guard := "NAME#" + name + " GUARD"
		assert.NotContains(t, want, guard, "two boats of one name")
		want[guard] = plain{"PK": "NAME#" + name, "SK": "GUARD", "Kind": "Guard", "BoatId": id}
		want["HARBOUR#"+harbour+" BOAT#"+id] = plain{"PK": "HARBOUR#" + harbour, "SK": "BOAT#" + id, "Length": length}
	}
	for key := range want {
		assert.Contains(t, got, key)
	}
	for key, item := range got {
		assert.Equal(t, want[key], item, key)
	}
}

var harbours = []string{"Kiel", "Oslo", "Riga"}

// launch makes a boat in a state that is drawn.
func launch(t *testing.T, db *dynastay.DB, draw *rand.Rand, id, name string) *boat {
	t.Helper()
	made, err := entity.NewTable(db, boats).Create(t.Context(), &boat{
		ID: id, Name: name, Harbour: racing.One(draw, harbours...), Flag: racing.One(draw, "", "DK"),
		Length: racing.One(draw, 7, 30), Afloat: racing.One(draw, true, false),
	})
	require.NoError(t, err)
	return made
}

func TestNoChangeOfABoatIsLost(t *testing.T) {
	t.Parallel()
	racing.Attributes[boat]{
		Entity: boats,
		Make: func(t *testing.T, db *dynastay.DB, draw *rand.Rand) *boat {
			id := db.NewID("")
			return launch(t, db, draw, id, "Anna "+id)
		},
		Values: func(b *boat) map[string][]any {
			return map[string][]any{"Name": {"Berta " + b.ID, "Cora " + b.ID}, "Harbour": {"Kiel", "Oslo", "Riga"}}
		},
		Kept:  []string{"ID"},
		Check: func(t *testing.T, db *dyntest.DB, _ *boat) { checkFleet(t, db) },
	}.Run(t)
}
