package migrate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
)

// house is a database with properties in the form of the hotel-booking document: each has a room type and an image.
type house struct {
	*dyntest.DB
	ids []string
}

func newHouse(t testing.TB, properties int, opts ...dyntest.Option) *house {
	t.Helper()
	opts = append(opts, dyntest.OnlyTables(keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable), dyntest.At(fixture.Now))
	h := &house{DB: dyntest.New(t, opts...)}
	texts := map[string]string{}
	for _, name := range []string{"property", "room", "image"} {
		text, err := os.ReadFile(filepath.Join("..", "properties", "testdata", name+".json"))
		require.NoError(t, err)
		texts[name] = string(text)
	}
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for n := range properties {
			h.ids = append(h.ids, fmt.Sprintf("prop_%04d", n))
			id := strings.NewReplacer("prop_123", h.ids[n], "room_789", fmt.Sprintf("room_%04d", n), "grand-luxury-hotel-new-york", fmt.Sprintf("grand-%04d", n))
			for _, text := range texts {
				decoder := json.NewDecoder(strings.NewReader(id.Replace(text)))
				decoder.UseNumber()
				var plain map[string]any
				require.NoError(t, decoder.Decode(&plain))
				if !yield(keys.PropertiesTable, raw.Item(t, plain)) {
					return
				}
			}
		}
	}))
	return h
}

// mover returns a mover whose requests go through the faults of the database.
func (h *house) mover(opts migrate.Options) *migrate.Mover {
	opts.DB.TablePrefix = h.TableName(&dynastay.Schema{})
	opts.DB.Clock = h.Clock.Now
	return migrate.New(h.Client, opts)
}

// seen is a function for each item, which notes them, and changes nothing.
type seen struct {
	mu   sync.Mutex
	keys map[dynastay.Key]int
}

func (s *seen) each(row dynastay.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = map[dynastay.Key]int{}
	}
	s.keys[keys.PropertiesTable.Key.From(row)]++
}
