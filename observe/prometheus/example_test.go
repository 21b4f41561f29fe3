package dynaprom_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/fake"
	dynaprom "github.com/dynastay/dynastay/observe/prometheus"
	"github.com/dynastay/dynastay/users"
)

// open opens a database with an observer, as a program does at its start.
func open(client dynastay.Client, registry *prometheus.Registry) (*dynastay.DB, error) {
	// page prometheus
	observer, err := dynaprom.New(registry) // or prometheus.DefaultRegisterer
	if err != nil {
		return nil, err
	}
	db := dynastay.Open(client, &dynastay.Options{Observer: observer})
	// end of page
	return db, nil
}

// A user is looked for, and does not exist.
func Example() {
	client := fake.Client{Do: func(*fake.Request) (any, error) { return &dynamodb.GetItemOutput{}, nil }}
	registry := prometheus.NewRegistry()
	db, err := open(client, registry)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := users.New(db, nil).Get(context.Background(), "user_1"); err == nil {
		log.Fatal("there is no such user")
	}
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "dynastay_requests_total" {
			continue
		}
		for _, label := range f.GetMetric()[0].GetLabel() {
			fmt.Println(label.GetName(), label.GetValue())
		}
		fmt.Println(f.GetMetric()[0].GetCounter().GetValue())
	}
	// Output:
	// db_operation_name GetItem
	// dynastay_operation users.Get
	// dynastay_pattern U2
	// dynastay_verdict done
	// 1
}
