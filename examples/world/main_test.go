package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
)

func TestRun(t *testing.T) {
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), []string{"-properties", "40", "-nights", "10", "-users", "25", "-listings", "30", "-requests", "20"}, &out, &progress))
	t.Logf("\n%s%s", &progress, &out)
	for _, part := range []string{
		"40 hotels, 25 users, 30 listings, 20 requests for a venue, 10 nights from 2026-06-01, seed 1\n",
		"  Metadata                        250 items\n", // the catalogues, promo codes and wishlists
		"  Reviews                         135 items\n", // with their guards, responses and votes
		"  Users                            92 items\n", // with the guards of their addresses, their config, preferences and points
		"  VenueBooking                    109 items\n", // the requests, their events, the users' lists, and the audit log
		"  localstays-availability         452 items\n", // the nights of the listings, their events, and the reservations of channels
		"\nLoaded in ", " items per second.\n",
		"\nHotels in Bangkok, a page of ", ": 1 request, ",
		"  Grand Trinity Hotel  ", "from 3570.00 THB\n",
	} {
		assert.Contains(t, out.String(), part)
	}
	lines := strings.Split(strings.TrimSpace(progress.String()), "\n")
	assert.Len(t, lines, 10)
	assert.Contains(t, lines[9], "40 of 40 hotels, ")
}

func TestOptionsAreChecked(t *testing.T) {
	var out strings.Builder
	assert.ErrorContains(t, run(t.Context(), []string{"-nights", "-1"}, &out, &out), "Nights")
	assert.Error(t, run(t.Context(), []string{"-unknown"}, &out, &out))
	assert.Contains(t, out.String(), "-properties")
	o, err := options([]string{"-occupancy", "0"}, &out)
	require.NoError(t, err)
	assert.True(t, o.Empty)
}

// If it is interrupted, it still removes its tables.
func TestInterrupt(t *testing.T) {
	e, err := engine.Start(t.Context(), docker.Allow())
	require.NoError(t, err)
	defer e.Stop(t.Context())
	t.Setenv("DYNTEST_ENGINE", "endpoint") // the program does not stop an endpoint, so the test can look at it
	t.Setenv("DYNTEST_ENDPOINT", e.Endpoint())

	ctx, interrupt := context.WithCancel(t.Context())
	var out strings.Builder
	err = run(ctx, []string{"-properties", "200"}, &out, writerFunc(interrupt))
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotContains(t, out.String(), "Loaded")
	assert.Contains(t, out.String(), "200 hotels")
	// ExtendDB goes on with what was interrupted, and may not answer as long as it does, which can be minutes on a busy machine.
	client, left := e.Client(), &dynamodb.ListTablesOutput{}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		left, err = client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
		require.NoError(c, err)
	}, 5*time.Minute, time.Second)
	for _, name := range left.TableNames {
		assert.NotContains(t, name, "world-")
	}
}

// writerFunc is called with everything that is written.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}
