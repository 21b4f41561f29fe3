package unique_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/unique"
)

var (
	names = dynastay.KeyNames{Partition: "PK", Sort: "SK"}
	index = dynastay.Index{Name: "ByName", Key: dynastay.KeyNames{Partition: "NamePK", Sort: "NameSK"}, Project: dynastay.ProjectKeys}
	cats  = &dynastay.Schema{Name: "Cats", Key: names, Indexes: []dynastay.Index{index}}

	errNobody = errors.New("nobody has the name")
)

type cat struct{ id, name string }

func key(id string) dynastay.Key { return dynastay.Key{PK: "CAT#" + id, SK: "METADATA"} }

// world is a table in which the index shows what a test wants it to show, whatever the cats' names are: a lagging index
// is one whose keys do not follow from the names.
type world struct {
	t  *testing.T
	db *dyntest.DB
	// before is called before each reading of a cat.
	before func(id string, consistent bool)
	loads  []string
}

func (w *world) put(item dynastay.Item) {
	w.t.Helper()
	_, err := w.db.Client.PutItem(w.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(w.db.TableName(cats)), Item: item})
	require.NoError(w.t, err)
}

// cat puts a cat that has a name, and stands in the index under another one, "" for none.
func (w *world) cat(id, name, indexed string) {
	w.t.Helper()
	item := names.Of(key(id))
	item["Name"] = dynastay.S(name)
	if indexed != "" {
		item["NamePK"], item["NameSK"] = dynastay.S("NAME#"+indexed), dynastay.S("CAT")
	}
	w.put(item)
}

func (w *world) guard(name, id string) {
	w.t.Helper()
	item := names.Of(dynastay.Key{PK: "NAME#" + name, SK: "GUARD"})
	item["CatId"] = dynastay.S(id)
	w.put(item)
}

func (w *world) find(name string) (*cat, error) {
	w.t.Helper()
	return unique.Lookup[cat]{
		Schema: cats, Name: "cats.ByName", Index: index.Name,
		Row:   dynastay.Key{PK: "NAME#" + name, SK: "CAT"},
		Guard: dynastay.Key{PK: "NAME#" + name, SK: "GUARD"},
		Owner: func(guard dynastay.Item) (dynastay.Key, error) {
			id := dynastay.TextOf(guard["CatId"])
			if id == "" {
				return dynastay.Key{}, dynastay.ErrCorrupt
			}
			return key(id), nil
		},
		Load: func(ctx context.Context, at dynastay.Key, consistent bool) (*cat, error) {
			id := at.PK[len("CAT#"):]
			if w.before != nil {
				w.before(id, consistent)
			}
			text := id
			if consistent {
				text += " consistently"
			}
			w.loads = append(w.loads, text)
			item, err := w.db.Get(ctx, cats, at, consistent)
			if err != nil {
				return nil, err
			}
			if item == nil {
				return nil, dynastay.ErrNotFound
			}
			return &cat{id, dynastay.TextOf(item["Name"])}, nil
		},
		Carries:  func(c *cat) bool { return c.name == name },
		NotFound: errNobody,
	}.Find(w.t.Context(), w.db.DB)
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		world func(w *world)
		want  string // the id, "" for nobody
		loads []string
	}{
		{"as almost always", func(w *world) {
			w.cat("tom", "Tom", "Tom")
			w.guard("Tom", "tom")
		}, "tom", []string{"tom"}},
		{"without a guard", func(w *world) { w.cat("tom", "Tom", "Tom") }, "tom", []string{"tom"}},
		{"nobody", func(*world) {}, "", nil},
		{"the index does not show the new owner yet", func(w *world) {
			w.cat("tom", "Tom", "")
			w.guard("Tom", "tom")
		}, "tom", []string{"tom consistently"}},
		{"the index still shows the old owner", func(w *world) {
			w.cat("old", "Oldie", "Tom")
			w.cat("tom", "Tom", "")
			w.guard("Tom", "tom")
		}, "tom", []string{"old", "tom consistently"}},
		{"the index still shows the old owner, and nobody has the name now", func(w *world) {
			w.cat("old", "Oldie", "Tom")
		}, "", []string{"old"}},
		{"the index shows both", func(w *world) {
			w.cat("old", "Oldie", "Tom")
			w.cat("tom", "Tom", "Tom")
			w.guard("Tom", "tom")
		}, "tom", []string{"tom consistently"}},
		{"the index still shows one that is gone", func(w *world) {
			w.cat("tom", "Tom", "Tom")
			w.guard("Tom", "tom")
			w.before = func(string, bool) { w.remove("tom") }
		}, "", []string{"tom", "tom consistently"}},
		{"the guard's owner is gone", func(w *world) { w.guard("Tom", "tom") }, "", []string{"tom consistently"}},
		{"the owner gives the name up after the guard was read", func(w *world) {
			w.cat("tom", "Tom", "")
			w.guard("Tom", "tom")
			w.before = func(string, bool) { w.cat("tom", "Thomas", "") }
		}, "", []string{"tom consistently"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := &world{t: t, db: dyntest.New(t, dyntest.Tables(cats))}
			test.world(w)
			got, err := w.find("Tom")
			assert.Equal(t, test.loads, w.loads)
			if test.want == "" {
				assert.ErrorIs(t, err, errNobody)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, &cat{test.want, "Tom"}, got)
		})
	}
}

func (w *world) remove(id string) {
	w.t.Helper()
	_, err := w.db.Client.DeleteItem(w.t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(w.db.TableName(cats)), Key: names.Of(key(id)),
	})
	require.NoError(w.t, err)
}

// Only "there is none" leads on to the guard; any other failure is the caller's to see.
func TestFindFails(t *testing.T) {
	t.Parallel()
	w := &world{t: t, db: dyntest.New(t, dyntest.Tables(cats))}
	w.put(dynastay.Item{"PK": dynastay.S("NAME#Tom"), "SK": dynastay.S("GUARD")})
	_, err := w.find("Tom")
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)

	ctx, cancel := context.WithCancel(t.Context())
	lookup := unique.Lookup[cat]{
		Schema: cats, Index: index.Name, Row: dynastay.Key{PK: "NAME#Kit"}, Guard: dynastay.Key{PK: "NAME#Kit", SK: "GUARD"},
		Load: func(context.Context, dynastay.Key, bool) (*cat, error) { return nil, context.Canceled },
	}
	w.cat("kit", "Kit", "Kit")
	guards := w.db.Faults.Count("GetItem")
	_, err = lookup.Find(ctx, w.db.DB)
	assert.Equal(t, context.Canceled, err)
	assert.Equal(t, guards, w.db.Faults.Count("GetItem"), "the guard is not asked")
	cancel()
	_, err = lookup.Find(ctx, w.db.DB)
	assert.ErrorIs(t, err, context.Canceled)
}
