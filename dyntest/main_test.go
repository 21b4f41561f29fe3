package dyntest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/engine"
)

// childVar gives the test binary a role as a child of a test, for what can only be observed from outside. The role is
// known to the test that started it.
const childVar = "DYNTEST_TEST_CHILD"

// announceTables prints the tables of the test that the engine lists.
func announceTables(d *DB) {
	for _, name := range tables(context.Background(), d.Engine) {
		if strings.HasPrefix(name, d.prefix) {
			fmt.Println("table", name)
		}
	}
}

// tables returns the names of all tables of an engine.
func tables(ctx context.Context, on *engine.Engine) []string {
	var names []string
	pages := dynamodb.NewListTablesPaginator(on.Client(), &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			panic(err)
		}
		names = append(names, page.TableNames...)
	}
	return names
}

// child returns a command that runs only the current test, in another process of this test binary.
func child(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(executable, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), childVar+"="+role), env...)
	return cmd
}

// network is the transport of the engine's own clients.
func (d *DB) network() http.RoundTripper {
	return d.Engine.Client().Options().HTTPClient.(*http.Client).Transport
}

// clientOver is like Client, with a different network below the faults and the meter.
func (d *DB) clientOver(network http.RoundTripper, optFns ...func(*dynamodb.Options)) *dynamodb.Client {
	other := func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: network} }
	return d.Engine.Client(append([]func(*dynamodb.Options){other, d.front}, optFns...)...)
}

// A random test of this package makes 20 histories, a fifth of rapid's default: with more, the package takes too long
// on DynamoDB Local. -rapid.checks changes it.
func init() {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
