package dyntest

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

// Client makes a client for it, with the SDK's defaults for everything that optFns leave alone.
func (e *Engine) Client(optFns ...func(*dynamodb.Options)) *dynamodb.Client {
	return e.client(e.transport, optFns...)
}

func (e *Engine) client(transport http.RoundTripper, optFns ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &e.endpoint,
		HTTPClient:   &http.Client{Transport: transport},
		// An engine may keep tables apart by region and by access key, so all clients use the same ones.
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("dyntest", "dyntest", ""),
	}, optFns...)
}

// CreateTables makes tables under their names with the prefix in front, all at the same time and without deletion
// protection. A table that already exists is an error.
func (e *Engine) CreateTables(ctx context.Context, prefix string, schemas ...*dynastay.Schema) error {
	client := e.Client()
	return parallel(schemas, func(s *dynastay.Schema) error {
		if err := s.Create(ctx, client, prefix+s.Name, &dynastay.TableOptions{Deletable: true}); err != nil {
			return fmt.Errorf("table %s: %w", prefix+s.Name, err)
		}
		return nil
	})
}

// createOwnTables makes the tables of a test, under a prefix that nobody else has. A table that exists is then one of
// its own: the SDK has sent the request again, because a busy engine was slow to answer the first one.
//
// Other than CreateTables it switches on nothing. DynamoDB Local keeps to a time to live within a second, and by the
// machine's clock: what a test writes at a time of its own in the past would be gone at once. And local engines have a
// table ready when they answer, so one request for each is enough.
func (e *Engine) createOwnTables(ctx context.Context, prefix string, schemas []*dynastay.Schema) error {
	client := e.Client()
	return parallel(schemas, func(s *dynastay.Schema) error {
		name := prefix + s.Name
		err := createOwnTable(ctx, client, name, s)
		var exists *types.ResourceInUseException
		if errors.As(err, &exists) {
			err = e.DeleteTables(ctx, prefix, s)
			if err == nil {
				err = createOwnTable(ctx, client, name, s)
			}
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		return nil
	})
}

func createOwnTable(ctx context.Context, client *dynamodb.Client, name string, s *dynastay.Schema) error {
	made, err := client.CreateTable(ctx, s.CreateTableInput(name, &dynastay.TableOptions{Deletable: true}))
	if err != nil || made.TableDescription.TableStatus == types.TableStatusActive {
		return err
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, time.Second
	})
	return active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, setUpTime)
}

// DeleteTables removes what [Engine.CreateTables] made. A table that is not there is no error.
func (e *Engine) DeleteTables(ctx context.Context, prefix string, schemas ...*dynastay.Schema) error {
	client := e.Client()
	return parallel(schemas, func(s *dynastay.Schema) error {
		name := prefix + s.Name
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		var gone *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &gone) {
			return fmt.Errorf("table %s: %w", name, err)
		}
		return nil
	})
}

// Stop gives the engine back. A process that [Start] started ends. An endpoint that was given goes on, and so does a
// container, which other processes may be using: the package comment says who removes it.
func (e *Engine) Stop(ctx context.Context) error {
	e.transport.CloseIdleConnections()
	return e.stop(ctx)
}

// account says which engine this is and why it was not another.
func (e *Engine) account() string {
	var b strings.Builder
	b.WriteString("dyntest: the engine is " + e.name)
	for _, a := range e.passed {
		fmt.Fprintf(&b, "\n  not %s: %v", a.kind, a.err)
	}
	return b.String()
}

var errEnded = errors.New("it ended before it answered")

// untilAnswer waits until the server behind the endpoint answers an HTTP request, whatever it answers, or until gone
// is closed. An open port is not enough: Docker opens it before the server listens.
func untilAnswer(ctx context.Context, endpoint string, gone <-chan struct{}) error {
	client := &http.Client{Timeout: time.Second}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		select {
		case <-gone:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("no answer from %s: %w", endpoint, err)
		case <-tick.C:
		}
	}
}
