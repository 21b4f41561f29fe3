package engine_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// A program starts an engine, creates its tables, and works on them.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)

	guests := &dynastay.Schema{Name: "Guests", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}}
	prefix := rand.Text() + "-" // the engine may have tables of an earlier run
	if err := e.CreateTables(ctx, prefix, guests); err != nil {
		log.Fatal(err)
	}

	client := e.Client()
	db := dynastay.Open(client, &dynastay.Options{TablePrefix: prefix})
	table, key := db.TableName(guests), guests.Key.Of(dynastay.Key{PK: "GUEST#7", SK: "PROFILE"})
	if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: key}); err != nil {
		log.Fatal(err)
	}
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(guests.Key.From(dynastay.RowOf(out.Item)))
	// Output: GUEST#7/PROFILE
}
