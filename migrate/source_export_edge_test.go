package migrate_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
)

// A damaged file stops the walk, before its first item if its checksum says so. The error names the file.
func TestDamagedExport(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 12)
	const first, second = "data/file0.json.gz", "data/file1.json.gz"
	long := fmt.Sprintf(`{"Item":{"PK":{"S":"USER#long"},"Text":{"S":"%s"}}}`, strings.Repeat("x", 4<<20))
	for name, test := range map[string]struct {
		files [][]string
		edit  func(fstest.MapFS)
		want  []string
		shown int // by a page of 2
		kind  error
	}{
		"truncated": {
			edit:  func(all fstest.MapFS) { all[second].Data = all[second].Data[:len(all[second].Data)-9] },
			want:  []string{second, "its checksum is not that of the manifest"},
			shown: 6, kind: dynastay.ErrCorrupt,
		},
		"one bit": {
			edit:  func(all fstest.MapFS) { all[second].Data[20] ^= 1 },
			want:  []string{second, "its checksum is not that of the manifest"},
			shown: 6, kind: dynastay.ErrCorrupt,
		},
		"missing": {
			edit:  func(all fstest.MapFS) { delete(all, second) },
			want:  []string{second, "file does not exist"},
			shown: 6, kind: fs.ErrNotExist,
		},
		"too few lines": {
			edit: func(all fstest.MapFS) {
				replaced("manifest-files.json", `"itemCount":6`, `"itemCount":7`)(all)
				replaced("manifest-summary.json", `"itemCount":12`, `"itemCount":14`)(all)
			},
			want:  []string{first, "it has 6 items, not 7 as the manifest says"},
			shown: 6, kind: dynastay.ErrCorrupt,
		},
		"too many lines": {
			edit: func(all fstest.MapFS) {
				replaced("manifest-files.json", `"itemCount":6`, `"itemCount":5`)(all)
				replaced("manifest-summary.json", `"itemCount":12`, `"itemCount":10`)(all)
			},
			want:  []string{first, "it has more than 5 items"},
			shown: 4, kind: dynastay.ErrCorrupt,
		},
		"another item": {
			files: [][]string{append(lines[:6:6], `{"Item":{"PK":{"X":"USER#bad"}}}`)},
			want:  []string{first, "line 7: ", `"PK": X: is no type of DynamoDB`},
			shown: 6, kind: dynastay.ErrCorrupt,
		},
		"a long line": {
			files: [][]string{append(lines[:4:4], long)},
			want:  []string{first, "line 5: ", "token too long"},
			shown: 4,
		},
	} {
		if test.files == nil {
			test.files = [][]string{lines[:6], lines[6:]}
		}
		export := raw.ExportOf(t, h.TableName(keys.UsersTable), test.files...)
		if test.edit != nil {
			test.edit(export)
		}
		shown := 0
		m := migrate.New(h.Client, migrate.Options{DB: dynastay.Options{TablePrefix: h.TableName(&dynastay.Schema{}), Parallel: 1}})
		report, err := m.Walk(t.Context(), migrate.Walk{
			Name: "look", Table: keys.UsersTable, Export: export, Page: 2, DryRun: true,
			Each: func(context.Context, dynastay.Row) (bool, error) { shown++; return false, nil },
		})
		require.Error(t, err, name)
		for _, want := range test.want {
			assert.ErrorContains(t, err, want, name)
		}
		if test.kind != nil {
			assert.ErrorIs(t, err, test.kind, name)
		}
		assert.False(t, report.Done(), name)
		assert.Equal(t, test.shown, shown, name)
	}
}

// A file that is no gzip, but has the checksum of the manifest.
func TestExportThatIsNotPacked(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 1)
	export := raw.ExportOf(t, h.TableName(keys.UsersTable), lines)
	export["data/file0.json.gz"].Data = []byte("x")
	sum := "ndTkYSaMgDT1yFZOFVxnpg==" // echo -n x | md5sum
	at := bytes.Index(export["manifest-files.json"].Data, []byte(`"md5Checksum":"`)) + len(`"md5Checksum":"`)
	copy(export["manifest-files.json"].Data[at:], sum)
	_, err := h.mover(migrate.Options{}).Walk(t.Context(), migrate.Walk{
		Name: "look", Table: keys.UsersTable, Export: export, DryRun: true,
		Each: func(context.Context, dynastay.Row) (bool, error) { return false, nil },
	})
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "data/file0.json.gz")
	assert.ErrorContains(t, err, "unexpected EOF")
}

// The largest item of DynamoDB, 400 KB, has nine times as much text if it has a list of empty texts.
func TestExportOfLargeItems(t *testing.T) {
	t.Parallel()
	h, _ := usersOf(t, 0)
	texts := 400<<10 - len("PKUSER#largeSKPROFILEList") - 3
	line := `{"Item":{"PK":{"S":"USER#large"},"SK":{"S":"PROFILE"},"List":{"L":[` + strings.Repeat(`{"S":""},`, texts-1) + `{"S":""}]}}}`
	require.Greater(t, len(line), 3_600_000)
	shown := 0
	report, err := h.mover(migrate.Options{}).Walk(t.Context(), migrate.Walk{
		Name: "look", Table: keys.UsersTable, Export: raw.ExportOf(t, h.TableName(keys.UsersTable), []string{line, line}), DryRun: true,
		Each: func(_ context.Context, row dynastay.Row) (bool, error) {
			shown++
			assert.Equal(t, "USER#large", row.Text("PK"))
			assert.Len(t, row.Value("List").List(), texts)
			return false, nil
		},
	})
	require.NoError(t, err)
	assert.True(t, report.Done())
	assert.Equal(t, 2, shown)
}

// An empty partition of the table has an empty file, which may be packed or not. There are up to 1,000 files.
func TestExportOfEmptyPartitions(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 1)
	files := make([][]string, 1000)
	files[999] = lines
	export := raw.ExportOf(t, h.TableName(keys.UsersTable), files...)
	packed := string(raw.Gzip(t, ""))
	require.Equal(t, packed, string(export["data/file0.json.gz"].Data))
	text := string(export["manifest-files.json"].Data)
	first, rest, _ := strings.Cut(text, "\n")
	at := strings.Index(first, `"md5Checksum":"`) + len(`"md5Checksum":"`)
	first = first[:at] + "1B2M2Y8AsgTpgAmY7PhCfg==" + first[at+24:] // that of nothing
	export["manifest-files.json"].Data = []byte(first + "\n" + rest)
	export["data/file0.json.gz"].Data = nil
	report, err := h.mover(migrate.Options{}).Walk(t.Context(), migrate.Walk{
		Name: "look", Table: keys.UsersTable, Export: export, DryRun: true,
		Each: func(context.Context, dynastay.Row) (bool, error) { return true, nil },
	})
	require.NoError(t, err)
	assert.Equal(t, migrate.Report{Segments: 1000, Ended: 1000, Walked: 1, Changed: 1}, report)
}
