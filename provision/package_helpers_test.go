package provision_test

import (
	"context"
	"flag"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/provision"
)

// moto is not an engine of package dyntest, because it has no transactions worth a test. Its control plane has more than
// those of the engines.
var moto = flag.String("moto", "", "the address of a moto server, such as http://127.0.0.1:5000, on which tests run too")

func motoClient() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: moto, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

func storeSchema() *dynastay.Schema {
	return &dynastay.Schema{
		Name: "Store", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, TTL: "ExpiresAt", Stream: true,
		Indexes: []dynastay.Index{
			{Name: "All", Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}},
			{Name: "Keys", Key: dynastay.KeyNames{Partition: "GSI2PK"}, Project: dynastay.ProjectKeys},
			{
				Name: "Some", Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "SK"},
				Project: dynastay.ProjectInclude, Include: []string{"Name", "Card"},
			},
		},
	}
}

// storeTable returns the declaration of a table that does not exist, and the engine. The table is deleted in the end.
func storeTable(t *testing.T, opts ...dyntest.Option) (*dynamodb.Client, provision.Table) {
	t.Helper()
	db := dyntest.New(t, opts...)
	table := provision.Table{
		Schema: storeSchema(), Name: db.TableName(&dynastay.Schema{Name: "Store"}), Settings: provision.Settings{Deletable: true},
	}
	deleted(t, db.Engine.Client(), table.Name)
	return db.Engine.Client(), table
}

// deleted deletes a table in the end.
func deleted(t *testing.T, client *dynamodb.Client, name string) {
	t.Cleanup(func() {
		ctx := context.Background()
		_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)})
		assert.NoError(t, err)
		_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		assert.NoError(t, err)
	})
}

func settings(differences []provision.Difference) (all []string) {
	for _, d := range differences {
		all = append(all, d.String())
	}
	return all
}
