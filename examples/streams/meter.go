package main

import (
	"context"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// meter counts what one process sends.
type meter struct {
	name string

	mu    sync.Mutex
	spent cost
}

// cost is what DynamoDB was asked, what it charged, and what its streams were asked.
type cost struct {
	requests    int
	read, write float64
	streams     int
}

func (c cost) minus(before cost) cost {
	return cost{c.requests - before.requests, c.read - before.read, c.write - before.write, c.streams - before.streams}
}

// observe is the [dynastay.Options] Observer: it is told of every request, on the goroutine that sent it.
func (m *meter) observe(_ context.Context, call dynastay.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent.requests += call.Requests()
	m.spent.read += call.ReadUnits()
	m.spent.write += call.WriteUnits()
}

// streams returns a client of the engine's streams. The Observer is not told of its requests, so they are counted where
// they are sent.
func (m *meter) streams(e *engine.Engine) *dynamodbstreams.Client {
	return e.Streams(func(o *dynamodbstreams.Options) { o.HTTPClient = counting{o.HTTPClient, m} })
}

type counting struct {
	dynamodbstreams.HTTPClient
	meter *meter
}

func (c counting) Do(r *http.Request) (*http.Response, error) {
	c.meter.mu.Lock()
	c.meter.spent.streams++
	c.meter.mu.Unlock()
	return c.HTTPClient.Do(r)
}

func (m *meter) soFar() cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}
