package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties/catalog"
)

// fees is the value of a setting.
type fees struct {
	Percent   int
	Countries []string
}

func feesOf(db *dynastay.DB, name string) *catalog.Setting[fees] {
	return catalog.NewSetting(db, name, func(f *entity.Fields, v *fees) {
		f.Int("Percent", &v.Percent)
		f.Strings("Countries", &v.Countries)
	})
}

func TestSetting(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	db := dyntest.New(t, catalogTables, dyntest.At(noon))
	setting, other := feesOf(db.DB, "fees"), feesOf(db.DB, "other fees")
	raise := func(v *fees) error { v.Percent++; return nil }

	_, err := setting.Get(t.Context())
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = setting.Update(t.Context(), raise)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorIs(t, setting.Delete(t.Context()), dynastay.ErrNotFound)
	assert.NoError(t, setting.Delete(t.Context(), dynastay.OrMissing()))

	made, err := setting.Create(t.Context(), fees{15, []string{"USA"}})
	require.NoError(t, err)
	want := catalog.Versioned[fees]{Name: "fees", Value: fees{15, []string{"USA"}}, UpdatedAt: noon, Version: 1}
	assert.Equal(t, want, *made)
	_, err = setting.Create(t.Context(), fees{1, nil})
	failure := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, dynastay.Error{Op: "config.Create", Entity: "Config", ID: "fees", Kind: dynastay.ErrAlreadyExists}, *failure)
	_, err = other.Get(t.Context())
	assert.ErrorIs(t, err, dynastay.ErrNotFound)

	db.Clock.Advance(time.Minute)
	want.Value.Percent, want.UpdatedAt, want.Version = 16, noon.Add(time.Minute), 2
	changed, err := setting.Update(t.Context(), raise, dynastay.IfVersion(made.Version))
	require.NoError(t, err)
	assert.Equal(t, want, *changed)
	got, err := setting.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, *got)
	_, err = setting.Update(t.Context(), raise, dynastay.IfVersion(made.Version))
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	assert.ErrorIs(t, setting.Delete(t.Context(), dynastay.IfVersion(made.Version)), dynastay.ErrVersion)

	stored := partition(t, db, "config")
	delete(stored["ITEM#fees"], "WriteId")
	assert.Equal(t, map[string]map[string]any{"ITEM#fees": {
		"PK": "CATALOG#config", "SK": "ITEM#fees", "EntityType": "Config", "ConfigId": "fees",
		"Percent": 16.0, "Countries": []any{"USA"}, "UpdatedAt": "2026-06-01T12:01:00Z", "Version": 2.0,
	}}, stored)
	require.NoError(t, setting.Delete(t.Context(), dynastay.IfVersion(2)))
	assert.Empty(t, partition(t, db, "config"))
}

// A setting that is changed together with something else is one transaction, and it cannot be the wrong one.
func TestSettingsCompose(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	first, second := feesOf(db.DB, "first"), feesOf(db.DB, "second")
	require.NoError(t, db.Write(t.Context(), first.CreateOp(fees{Percent: 1}), second.CreateOp(fees{Percent: 2})))
	swap := func(to int) func(*fees) error { return func(v *fees) error { v.Percent = to; return nil } }
	err := db.Write(t.Context(), first.UpdateOp(swap(2)), second.UpdateOp(swap(1), dynastay.IfVersion(2)))
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	require.NoError(t, db.Write(t.Context(), first.UpdateOp(swap(2)), second.UpdateOp(swap(1))))
	for setting, want := range map[*catalog.Setting[fees]]int{first: 2, second: 1} {
		got, err := setting.Get(t.Context(), dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, want, got.Value.Percent)
	}
	assert.ErrorIs(t, db.Write(t.Context(), first.DeleteOp(), second.DeleteOp(dynastay.IfVersion(1))), dynastay.ErrVersion)
	require.NoError(t, db.Write(t.Context(), first.DeleteOp(), second.DeleteOp(dynastay.IfVersion(2))))
}

func TestInvalidSettings(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	assert.PanicsWithValue(t, "catalog.NewSetting: invalid Name: is required", func() { feesOf(db.DB, "") })
	assert.PanicsWithValue(t, "catalog.NewSetting: invalid Name: must not contain '#'", func() { feesOf(db.DB, "a#b") })
	for _, name := range []string{"ConfigId", "EntityType", "UpdatedAt", "Version"} {
		assert.PanicsWithValue(t, "entity.New: Config: attribute "+name+" is declared twice", func() {
			catalog.NewSetting(db.DB, "x", func(f *entity.Fields, v *string) { f.String(name, v) })
		})
	}
	_, err := feesOf(db.DB, "x").Create(t.Context(), fees{Countries: []string{"\xff"}})
	blame.Of(t, err, dynastay.ErrInvalid, "Value.Countries[0]")
}
