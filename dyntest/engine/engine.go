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

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/internal/parallel"
)

// Engine is a DynamoDB that runs on this machine, or at an address that was given. It is safe for concurrent use.
type Engine struct {
	name      string
	endpoint  string
	transport *http.Transport
	stop      func(context.Context) error
	passed    []attempt // the engines before it in the order, and why they were not taken
}

func newEngine(name, endpoint string, stop func(context.Context) error) *Engine {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// Tests send bursts of parallel requests. The default of two idle connections for a host would open and close one
	// for nearly every request.
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	// Shorter than any engine's own time-out, or it would now and then close a connection just as a request goes out.
	transport.IdleConnTimeout = 5 * time.Second
	return &Engine{name: name, endpoint: endpoint, transport: transport, stop: stop}
}

// Name says what it is and where, such as "dynoxide 1.2.1 on 127.0.0.1:40123".
func (e *Engine) Name() string { return e.name }

// Endpoint is its address, such as "http://127.0.0.1:40123".
func (e *Engine) Endpoint() string { return e.endpoint }

// Account says which engine this is, and for each one before it in the order why it was not taken. It is exported for
// the log of a test, which package dyntest writes.
func (e *Engine) Account() string {
	var b strings.Builder
	b.WriteString("the engine is " + e.name)
	writeAttempts(&b, e.passed)
	return b.String()
}

// Client makes a client for it, with the SDK's defaults for everything that optFns leave alone. The HTTPClient that they get
// is an [*http.Client] over the engine's connections: package dyntest wraps its Transport.
func (e *Engine) Client(optFns ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &e.endpoint,
		HTTPClient:   &http.Client{Transport: e.transport},
		// An engine may keep tables apart by region and by access key, so all clients use the same ones.
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("dyntest", "dyntest", ""),
	}, optFns...)
}

// CreateTables makes tables under their names with the prefix in front, all at the same time and without deletion
// protection. It can be run again, see [dynastay.Schema.Create].
func (e *Engine) CreateTables(ctx context.Context, prefix string, schemas ...*dynastay.Schema) error {
	client := e.Client()
	return parallel.Do(schemas, func(s *dynastay.Schema) error {
		if err := s.Create(ctx, client, prefix+s.Name, &dynastay.TableOptions{Deletable: true}); err != nil {
			return fmt.Errorf("table %s: %w", prefix+s.Name, err)
		}
		return nil
	})
}

// DeleteTables removes what [Engine.CreateTables] made. A table that does not exist is no error.
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

// Stop releases the engine. A process that [Start] started ends. An endpoint that was given goes on, and so does a
// container, which other processes may be using: package docker says who removes it.
func (e *Engine) Stop(ctx context.Context) error {
	e.transport.CloseIdleConnections()
	return e.stop(ctx)
}
