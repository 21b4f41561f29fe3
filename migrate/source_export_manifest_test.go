package migrate_test

import (
	"context"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
)

// What cannot be walked is refused before any request, with what to do instead.
func TestExportIsRefused(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 2)
	m, table := h.mover(migrate.Options{}), h.TableName(keys.UsersTable)
	w := migrate.Walk{Name: "look", Table: keys.UsersTable, Each: func(context.Context, dynastay.Row) (bool, error) { return false, nil }}
	stop := h.Faults.Record()
	for want, edit := range map[string]func(fstest.MapFS){
		"must be a full export, got INCREMENTAL_EXPORT; export the table again as FULL_EXPORT": replaced("manifest-summary.json", "FULL_EXPORT", "INCREMENTAL_EXPORT"),
		"must be in DynamoDB JSON, got ION; export the table again as DYNAMODB_JSON":           replaced("manifest-summary.json", "DYNAMODB_JSON", "ION"),
		"must have files in DynamoDB JSON, got data/file0.ion.gz; export the table again":      replaced("manifest-files.json", ".json.gz", ".ion.gz"),
		"must be of the table " + table + ", got one of other-" + table:                        replaced("manifest-summary.json", "table/", "table/other-"),
		"must be the folder of an export, with manifest-summary.json":                          func(all fstest.MapFS) { delete(all, "manifest-summary.json") },
		"must be the folder of an export, with manifest-files.json":                            func(all fstest.MapFS) { delete(all, "manifest-files.json") },
	} {
		export := raw.ExportOf(t, table, lines)
		edit(export)
		w.Export = export
		_, err := m.Walk(t.Context(), w)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, want) {
			assert.Equal(t, "Export", invalid.Field)
			assert.Contains(t, invalid.Reason, want)
		}
	}
	for _, files := range [][][]string{nil, make([][]string, 1001)} {
		w.Export = raw.ExportOf(t, table, files...)
		_, err := m.Walk(t.Context(), w)
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.ErrorContains(t, err, "must have 1 to 1,000 data files")
	}
	w.Export = raw.ExportOf(t, table, lines)
	for field, edit := range map[string]func(*migrate.Walk){
		"Segments":   func(w *migrate.Walk) { w.Segments = 1 },
		"Partitions": func(w *migrate.Walk) { w.Partitions = []string{} },
		"Index":      func(w *migrate.Walk) { w.Index = keys.EmailIndex },
	} {
		w := w
		edit(&w)
		_, err := m.Walk(t.Context(), w)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
			assert.Contains(t, invalid.Reason, "with Export")
		}
	}
	assert.Empty(t, stop())
}

// A manifest that is damaged is refused before any request, and named.
func TestDamagedManifest(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 2)
	m, table := h.mover(migrate.Options{}), h.TableName(keys.UsersTable)
	stop := h.Faults.Record()
	for want, edit := range map[string]func(fstest.MapFS){
		"File manifest-summary.json: unreadable item: unexpected end of JSON input": func(all fstest.MapFS) {
			all["manifest-summary.json"].Data = all["manifest-summary.json"].Data[:40]
		},
		"File manifest-summary.json: unreadable item: it has no exportArn": replaced("manifest-summary.json", "exportArn", "arn"),
		"File manifest-files.json: unreadable item: unexpected EOF": func(all fstest.MapFS) {
			all["manifest-files.json"].Data = all["manifest-files.json"].Data[:40]
		},
		"File manifest-files.json: unreadable item: its files have 2 items, not 3 as manifest-summary.json says; copy it again": replaced("manifest-summary.json", `"itemCount":2`, `"itemCount":3`),
	} {
		export := raw.ExportOf(t, table, lines)
		edit(export)
		_, err := m.Walk(t.Context(), migrate.Walk{
			Name: "look", Table: keys.UsersTable, Export: export, Each: func(context.Context, dynastay.Row) (bool, error) { return false, nil },
		})
		require.ErrorIs(t, err, dynastay.ErrCorrupt, want)
		assert.ErrorContains(t, err, want)
	}
	assert.Empty(t, stop())
}

// denied is a store that refuses to open a file.
type denied struct{ fs.FS }

func (denied) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// Why a file cannot be opened is said as it is: the folder may be the right one.
func TestExportThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	h, _ := usersOf(t, 0)
	_, err := h.mover(migrate.Options{}).Walk(t.Context(), migrate.Walk{
		Name: "look", Table: keys.UsersTable, Export: denied{}, Each: func(context.Context, dynastay.Row) (bool, error) { return false, nil },
	})
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
}

// An export of before there were incremental ones does not say that it is a full one.
func TestOldExport(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 2)
	export := raw.ExportOf(t, h.TableName(keys.UsersTable), lines)
	replaced("manifest-summary.json", "exportType", "none")(export)
	report, err := h.mover(migrate.Options{}).Walk(t.Context(), migrate.Walk{
		Name: "look", Table: keys.UsersTable, Export: export, Each: func(context.Context, dynastay.Row) (bool, error) { return false, nil },
	})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Walked)
}
