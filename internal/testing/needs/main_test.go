package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision/policy"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := read(dir)
	assert.ErrorContains(t, err, "has nothing that tests have noted")
	note := func(file, lines string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(lines), 0o600))
	}
	note("a.txt", "bookings.Repository.Get\tQuery Bookings\nbookings.Repository.Get\tGetItem Gauges\nentity/stream/consumer.Consumer.Run\tGetRecords Gauges\n")
	note("b.txt", "bookings.Repository.Get\tQuery Bookings\nbookings.Repository.Get\tScan Bookings\nusers.Repository.Lose\tQuery Users own\n")
	seen, err := read(dir)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{
		"bookings.Repository.Get":             {"Query Bookings", "Scan Bookings"},
		"entity/stream/consumer.Consumer.Run": {"GetRecords *"},
		"users.Repository.Lose":               {"Query Users own"},
	}, seen)
	known := map[string][]policy.Need{
		"bookings.Repository.Get":             {{Action: "Query", Table: "Bookings"}},
		"entity/stream/consumer.Consumer.Run": {{Action: "GetRecords", Table: "*"}, {Action: "ListStreams", Table: "*"}},
	}
	assert.Equal(t, []string{"bookings.Repository.Get Scan Bookings", "users.Repository.Lose Query Users own"}, missing(seen, known))
	note("c.txt", "bookings.Repository.Get\tQuery\n")
	_, err = read(dir)
	assert.Error(t, err)
}
