package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// It is another engine than the others, so nobody gets it by chance.
func TestExtendDBIsUsedOnlyIfItIsAskedFor(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", t.TempDir()) // no engine
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	_, err := Start(t.Context())
	require.ErrorContains(t, err, "extenddb  not tried because it is used only if DYNTEST_ENGINE or On asks for it")
	assert.NotContains(t, err.Error(), "ut extenddb")
	t.Setenv(engineVar, "extenddb")
	_, err = Start(t.Context())
	require.ErrorContains(t, err, "dynoxide  not tried because DYNTEST_ENGINE=extenddb")
	assert.Contains(t, err.Error(), extendDB.help()[:20])
}

func TestExtendDB(t *testing.T) {
	onlyUnix(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("AWS_ACCESS_KEY_ID", "of the caller")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "of the caller")
	ctx := t.Context()
	engine, err := Start(ctx, On(ExtendDB))
	require.NoError(t, err)
	defer stopped(t, engine)
	assert.Equal(t, "extenddb 0.1.10 on "+strings.TrimPrefix(engine.Endpoint(), "http://"), engine.Name())
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left, "the settings' file is not needed any more")

	require.NoError(t, engine.CreateTables(ctx, "test-", guests))
	breakOff(t, engine.Client())
	require.NoError(t, engine.DeleteTables(context.WithoutCancel(ctx), "test-", guests))
}

// breakOff sends writes whose contexts end at any moment, and sees that the engine still has its tables.
func breakOff(t *testing.T, client *dynamodb.Client) {
	name := "test-" + guests.Name
	var group sync.WaitGroup
	ended := new(atomic.Int64)
	for range 8 {
		group.Go(func() {
			for i := range 100 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(3000))*time.Microsecond)
				_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &types.Put{
					TableName: &name, Item: guests.Key.Of(dynastay.Key{PK: fmt.Sprint(i), SK: "a"}),
				}}}})
				if errors.Is(err, context.DeadlineExceeded) {
					ended.Add(1)
				}
				cancel()
			}
		})
	}
	group.Wait()
	assert.NotZero(t, ended.Load())
	_, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	require.NoError(t, err)
}

func TestSettingThatExtendDBRefuses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		assert.Equal(t, "PUT /management/settings/delay dyntest secret", r.Method+" "+r.URL.Path+" "+user+" "+password)
		http.Error(w, "no such setting", http.StatusNotFound)
	}))
	defer server.Close()
	err := setExtendDB(t.Context(), server.URL, "secret", "delay", "0")
	assert.EqualError(t, err, "set delay to 0: 404 Not Found: no such setting")
}
