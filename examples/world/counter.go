package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
)

// counter counts the items that batches have written, by table.
type counter struct {
	dynastay.Client
	prefix string

	mu    sync.Mutex
	items map[string]int
}

func (c *counter) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	out, err := c.Client.BatchWriteItem(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for table, puts := range in.RequestItems {
		c.items[strings.TrimPrefix(table, c.prefix)] += len(puts) - len(out.UnprocessedItems[table])
	}
	return out, nil
}

func (c *counter) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, items := range c.items {
		n += items
	}
	return n
}

// report prints the number of items and the rate.
func (c *counter) report(out io.Writer, taken time.Duration) error {
	line := func(what string, items int) { fmt.Fprintf(out, "  %-23s %11s items\n", what, in.Sprint(items)) }
	for _, table := range slices.Sorted(maps.Keys(c.items)) {
		line(table, c.items[table])
	}
	line("total", c.total())
	_, err := in.Fprintf(out, "\nLoaded in %v, %d items per second.\n",
		taken.Round(100*time.Millisecond), int(float64(c.total())/taken.Seconds()))
	return err
}
