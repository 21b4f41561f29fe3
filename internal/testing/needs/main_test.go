package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision/policy"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := read(dir)
	assert.ErrorContains(t, err, "has nothing that tests have noted")
	note := func(file, lines string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(lines), 0o600))
	}
	note("a.txt", "bookings.Repository.Get\tQuery Bookings\nbookings.Repository.Get\t@bookings.Get\nbookings.Repository.Get\tGetItem Gauges\nentity/stream/consumer.Consumer.Run\tGetRecords Gauges\nentity/stream/consumer.Consumer.Run\tGetRecords \n")
	note("b.txt", "bookings.Repository.Get\tQuery Bookings\nbookings.Repository.Get\tScan Bookings\nusers.Repository.Lose\tQuery Users own\n")
	seen, operations, err := read(dir)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{
		"bookings.Repository.Get":             {"Query Bookings", "Scan Bookings"},
		"entity/stream/consumer.Consumer.Run": {"GetRecords *"},
		"users.Repository.Lose":               {"Query Users own"},
	}, seen)
	assert.Equal(t, map[string][]string{"bookings.Repository.Get": {"bookings.Get"}}, operations)
	known := map[string][]policy.Need{
		"bookings.Repository.Get":             {{Action: "Query", Table: "Bookings"}},
		"entity/stream/consumer.Consumer.Run": {{Action: "GetRecords", Table: "*"}, {Action: "ListStreams", Table: "*"}},
	}
	assert.Equal(t, []string{"bookings.Repository.Get Scan Bookings", "users.Repository.Lose Query Users own"}, missing(seen, known))

	// What another method of the package needs is in its policy, unless that is an application's.
	known = map[string][]policy.Need{
		"users.R.Get":    {{Action: "GetItem", Table: "Users", Own: true}},
		"users.R.List":   {{Action: "Query", Table: "Users"}},
		"users.R.Create": {{Action: "PutItem", Table: "Users"}, {Action: "BatchGetItem", Table: "Users"}},
	}
	for need, may := range map[string][]string{
		"GetItem Users own":      {"users.R.Get", "users.R.List", "users.R.Create"},
		"Query Users own":        {"users.R.List", "users.R.Create"},
		"Query Users":            {"users.R.List", "users.R.Create"},
		"BatchGetItem Users":     {"users.R.Create"},
		"GetItem Users":          {"users.R.List", "users.R.Create"},
		"PutItem Users own":      {"users.R.Create"},
		"Query Users/GSI1":       nil,
		"UpdateItem Users":       nil,
		"ConditionCheckItem Any": nil,
	} {
		for _, method := range []string{"users.R.Get", "users.R.List", "users.R.Create", "users.R.New", "reviews.R.Get"} {
			assert.Equal(t, slices.Contains(may, method), len(missing(map[string][]string{method: {need}}, known)) == 0, "%s %s", method, need)
		}
	}
	note("c.txt", "bookings.Repository.Get\tQuery\n")
	_, _, err = read(dir)
	assert.Error(t, err)
}

func TestUnnamed(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{
		"users.Repository.Loyalty: users.Get", "users.Repository.Preferences: users.Get", "users.Repository.Voted: GetAll Users",
	}, unnamed(map[string][]string{
		"users.Repository.Loyalty":     {"users.Get"},
		"users.Repository.Preferences": {"users.Get"},
		"users.Repository.Voted":       {"GetAll Users", "users.Voted"},
		"users.Repository.Create":      {"users.Create", "users.Create + bookings.Create", "shared"},
		"users.Repository.Update":      {"users.Update", "shared"},
		"users.Public.Update":          {"users.Update"},
		"bookings.Eraser.Erase":        {"users.Erase"},
		"users.Repository.Erase":       {"users.Erase"},
	}))
}
