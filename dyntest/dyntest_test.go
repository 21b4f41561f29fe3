package dyntest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// things is a consumer's own table, with key attributes that differ from the hotel's.
var things = &dynastay.Schema{Name: "Things", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}}

func key(id string) dynastay.Item { return things.Key.Of(dynastay.Key{PK: id, SK: "thing"}) }

func (d *DB) things() *string {
	name := d.TableName(things)
	return &name
}

// put writes an item of things with a value.
func put(ctx context.Context, client *dynamodb.Client, d *DB, id, value string) error {
	item := key(id)
	item["value"] = &types.AttributeValueMemberS{Value: value}
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: d.things(), Item: item})
	return err
}

// read returns the value of an item of things, or "".
func read(t *testing.T, d *DB, id string) string {
	t.Helper()
	yes := true
	out, err := d.Engine.Client().GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: d.things(), Key: key(id), ConsistentRead: &yes,
	})
	require.NoError(t, err)
	switch v := out.Item["value"].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

func TestTestsAreIsolated(t *testing.T) {
	t.Parallel()
	one, other := New(t, Tables(things)), New(t, Tables(things))
	require.NoError(t, put(t.Context(), one.Client, one, "a", "of one"))
	assert.Empty(t, read(t, other, "a"))
	require.NoError(t, put(t.Context(), other.Client, other, "a", "of the other"))
	assert.Equal(t, "of one", read(t, one, "a"))
}

func TestHotelTablesExist(t *testing.T) {
	t.Parallel()
	d := New(t)
	all := tables(t.Context(), d.Engine)
	for _, schema := range keys.Tables() {
		assert.Contains(t, all, d.TableName(schema))
	}
}

func TestNamesFitDynamoDB(t *testing.T) {
	t.Parallel()
	prefix := tablePrefix("TestX/" + strings.Repeat("Zürich & Köln ", 40))
	assert.LessOrEqual(t, len(prefix), 100)
	assert.Regexp(t, `^TestX-Z-rich---K-ln-[a-zA-Z0-9_.-]+$`, prefix)
	assert.NotEqual(t, prefix, tablePrefix("TestX"))
}

func TestOptionsReachTheDatabase(t *testing.T) {
	t.Parallel()
	noon := time.Date(2025, time.January, 15, 12, 0, 0, 0, time.UTC)
	d := New(t, With(dynastay.Options{
		Clock:       func() time.Time { return noon },
		TablePrefix: "replaced", TableSuffix: "replaced",
	}))
	assert.Equal(t, noon, d.Now())
	assert.Equal(t, d.prefix+"Things", *d.things())
}

func TestOpenSharesTheTables(t *testing.T) {
	t.Parallel()
	d := New(t)
	second := d.Open(&dynastay.Options{NewID: func(prefix string) string { return prefix + "second" }})
	assert.NotSame(t, d.DB, second)
	assert.Equal(t, d.TableName(things), second.TableName(things))
	assert.Equal(t, "bkg_second", second.NewID("bkg_"))
	assert.Equal(t, d.TableName(things), d.Open(nil).TableName(things))
}

func TestTablesAreRemoved(t *testing.T) {
	t.Parallel()
	var d *DB
	t.Run("test", func(t *testing.T) {
		d = New(t, Tables(things))
		assert.Contains(t, tables(t.Context(), d.Engine), *d.things())
		// A test may remove a table itself.
		_, err := d.Client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: d.things()})
		assert.NoError(t, err)
	})
	for _, name := range tables(t.Context(), d.Engine) {
		assert.False(t, strings.HasPrefix(name, d.prefix), "%s still exists", name)
	}
}

func TestTablesAreRemovedAfterAFailure(t *testing.T) {
	if end := os.Getenv(childVar); end != "" {
		announceTables(New(t))
		t.Run("inner", func(t *testing.T) {
			announceTables(New(t))
			if end == "panicking" {
				panic("in a test")
			}
			t.FailNow()
		})
		return
	}
	t.Parallel()
	running := New(t).Engine
	for _, end := range []string{"failing", "panicking"} {
		output, err := child(t, end, "DYNTEST_ENGINE=endpoint", "DYNTEST_ENDPOINT="+running.Endpoint()).Output()
		assert.Error(t, err, "the child's test should have failed")

		var made []string
		for line := range strings.Lines(string(output)) {
			if name, ok := strings.CutPrefix(line, "table "); ok {
				made = append(made, strings.TrimSpace(name))
			}
		}
		require.Len(t, made, 2*len(keys.Tables()), "tables of the child's test and subtest; it printed:\n%s", output)
		for _, name := range tables(t.Context(), running) {
			assert.NotContains(t, made, name)
		}
	}
}

// Local engines do not lag, so methods that wait for the indexes should not slow down tests.
func TestIndexesAreAwaitedBriefly(t *testing.T) {
	t.Parallel()
	db := New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // the default of Options.IndexLag is 10 s
	defer cancel()
	for _, one := range []*dynastay.DB{db.DB, db.Direct, db.Open(nil)} {
		require.NoError(t, one.AwaitIndexes(ctx))
	}
}

// noImage is an image that cannot exist in any registry.
const noImage = "dyntest.invalid/none:0"

// A test always tries Docker, without an option.
func TestMessageWithoutAnyEngine(t *testing.T) {
	if os.Getenv(childVar) != "" {
		New(t)
		return
	}
	t.Parallel()
	nowhere := t.TempDir()
	output, err := child(t, "without",
		"DYNTEST_ENGINE=", "DYNTEST_ENDPOINT=", "DYNTEST_DYNAMODB_LOCAL=", "DYNTEST_IMAGE="+noImage, "DOCKER_HOST=tcp://127.0.0.1:1",
		"PATH="+nowhere, "HOME="+nowhere, "XDG_CACHE_HOME="+nowhere, "LocalAppData="+nowhere,
	).Output()
	blame.As[*exec.ExitError](t, err, "the child's test should have failed; it printed:\n%s", output)
	message := string(output)
	for _, part := range []string{
		"--- FAIL: TestMessageWithoutAnyEngine",
		"dyntest/engine: no DynamoDB engine is available:",
		"endpoint  DYNTEST_ENDPOINT is not set",
		"java      DYNTEST_DYNAMODB_LOCAL is not set",
		"dynoxide  exec: \"dynoxide\": executable file not found",
		"Start Docker.",
		"docker pull " + noImage,
		"Put the dynoxide binary on PATH:",
		"export DYNTEST_DYNAMODB_LOCAL=\"$HOME/dynamodb-local\"\n",
		"export DYNTEST_ENDPOINT=http://127.0.0.1:8000",
	} {
		assert.Contains(t, message, part)
	}
	assert.Regexp(t, `docker    (connect to Docker|start a container of `+noImage+`): `, message)
}

func TestTestFailsWithoutTheEngineItAsksFor(t *testing.T) {
	if os.Getenv(childVar) != "" {
		t.Run("endpoint", func(t *testing.T) { fmt.Println("endpoint is", New(t, On(engine.Endpoint)).Engine.Name()) })
		t.Run("java", func(t *testing.T) { New(t, On(engine.Java)) })
		t.Run("image", func(t *testing.T) { New(t, Image("dyntest.invalid/other:0")) })
		return
	}
	t.Parallel()
	running := New(t, OnlyTables()).Engine
	output, err := child(t, "choosing", "DYNTEST_ENGINE=docker", "DYNTEST_IMAGE="+noImage, "DYNTEST_DYNAMODB_LOCAL=",
		"DYNTEST_ENDPOINT="+running.Endpoint()).Output()
	require.Error(t, err, "the child's test should have failed; it printed:\n%s", output)
	assert.Contains(t, string(output), "endpoint is endpoint "+running.Endpoint())
	assert.Contains(t, string(output), "dyntest: the engine is endpoint "+running.Endpoint())
	assert.Contains(t, string(output), "--- FAIL: TestTestFailsWithoutTheEngineItAsksFor/java")
	assert.Contains(t, string(output), "java      DYNTEST_DYNAMODB_LOCAL is not set")
	assert.Contains(t, string(output), "--- FAIL: TestTestFailsWithoutTheEngineItAsksFor/image")
	assert.Contains(t, string(output), "docker pull dyntest.invalid/other:0")
	assert.NotContains(t, string(output), "SKIP")
}

func TestEngineIsLoggedOnceInATest(t *testing.T) {
	if os.Getenv(childVar) != "" {
		for _, name := range []string{"one", "other"} {
			t.Run(name, func(t *testing.T) {
				for range 3 {
					New(t, OnlyTables())
				}
			})
		}
		return
	}
	t.Parallel()
	output, err := child(t, "logging").Output()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, 2, strings.Count(string(output), "dyntest: the engine is "), "%s", output)
}
