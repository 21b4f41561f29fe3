package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/internal/parallel"
	"github.com/dynastay/dynastay/provision"
)

// Engine is a DynamoDB engine on this machine, or at a given address. It is safe for concurrent use.
type Engine struct {
	name      string
	endpoint  string
	transport *http.Transport
	network   http.RoundTripper // transport, or what passes requests on to it
	stop      func(context.Context) error
	passed    []attempt // the engines before it in the order, and why they are not used
}

// An engine may keep tables apart by region and by access key, so all clients use the same ones. ExtendDB accepts only
// this key, the example of AWS's documentation.
const region = "us-east-1"

var account = credentials.NewStaticCredentialsProvider("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "")

func newEngine(name, endpoint string, stop func(context.Context) error) *Engine {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// Tests send bursts of parallel requests. With the default of two idle connections for each host, nearly every
	// request would open and close a connection.
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	// Shorter than any engine's own timeout, or an engine may close a connection just as a request is sent.
	transport.IdleConnTimeout = 5 * time.Second
	return &Engine{name: name, endpoint: endpoint, transport: transport, network: transport, stop: stop}
}

// Name returns the name and place of the engine, such as "dynoxide 1.2.1 on 127.0.0.1:40123".
func (e *Engine) Name() string { return e.name }

// Endpoint returns the address of the engine, such as "http://127.0.0.1:40123".
func (e *Engine) Endpoint() string { return e.endpoint }

// Account returns a text that says which engine this is, and why each engine before it in the order was not used. It is
// exported for package dyntest, which writes it to the log of a test.
func (e *Engine) Account() string {
	var b strings.Builder
	b.WriteString("the engine is " + e.name)
	writeAttempts(&b, e.passed)
	return b.String()
}

// Client returns a client of the engine, with the SDK's defaults for everything that optFns do not change. The
// HTTPClient of these options is an [*http.Client] with the engine's connections; package dyntest wraps its Transport.
func (e *Engine) Client(optFns ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &e.endpoint,
		HTTPClient:   &http.Client{Transport: e.network},
		Region:       region,
		Credentials:  account,
	}, optFns...)
}

// Streams returns a client of the streams of the engine's tables. Its options are those of [Engine.Client].
func (e *Engine) Streams(optFns ...func(*dynamodbstreams.Options)) *dynamodbstreams.Client {
	return dynamodbstreams.New(dynamodbstreams.Options{
		BaseEndpoint: &e.endpoint,
		HTTPClient:   &http.Client{Transport: e.network},
		Region:       region,
		Credentials:  account,
	}, optFns...)
}

// CreateTables creates tables concurrently and without deletion protection. The name of each is prefix followed by the
// name of its schema. It can be run again, see [provision.Apply].
func (e *Engine) CreateTables(ctx context.Context, prefix string, schemas ...*dynastay.Schema) error {
	tables := provision.Tables(prefix, "", schemas...)
	for i := range tables {
		tables[i].Settings.Deletable = true
	}
	return provision.Apply(ctx, e.Client(), tables, nil)
}

// DeleteTables deletes the tables that [Engine.CreateTables] creates with the same arguments. It is not an error if a
// table does not exist.
func (e *Engine) DeleteTables(ctx context.Context, prefix string, schemas ...*dynastay.Schema) error {
	client := e.Client()
	return parallel.Do(schemas, func(s *dynastay.Schema) error {
		name := prefix + s.Name
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		var gone *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &gone) {
			return fmt.Errorf("table %s: %w", name, err)
		}
		return nil
	})
}

// Stop releases the engine. It ends a process that [Start] started. An endpoint is left running, and so is a container,
// because other processes may use it; package docker says when the container is removed.
func (e *Engine) Stop(ctx context.Context) error {
	e.transport.CloseIdleConnections()
	return e.stop(ctx)
}
