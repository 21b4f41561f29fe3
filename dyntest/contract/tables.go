package contract

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var tables = []Case{
	{
		Name:  "a table that exists cannot be created again",
		Needs: "setting up tables again after an interruption",
		Means: "a set-up fails, or empties a table",
		Units: 3, run: createTwice,
	},
	{
		Name:  "a missing table is reported as missing",
		Needs: "setting up tables, and errors that name a missing table",
		Means: "a set-up does not create a table",
		Units: 0, run: describeMissing,
	},
	{
		Name:  "a description has the keys, the indexes and their projections",
		Needs: "the check that a table has the schema that the library expects",
		Means: "a table with another schema is not noticed",
		Units: 0, run: describeTable,
	},
	{
		Name:  "the time to live can be set and described",
		Needs: "items that expire, such as idempotency keys",
		Means: "a set-up fails, or is not completed",
		Units: 0, run: timeToLive,
	},
	{
		Name:  "an attribute for the time to live is stored like any other",
		Needs: "items that have expired and are not removed yet, which the library ignores",
		Means: "an item disappears before its time",
		Units: 2, run: expiring,
	},
}

func createTwice(s *scene) {
	s.put("a")
	_, err := s.Admin.CreateTable(s.ctx, s.itemsTable())
	s.refused("creating the table again", err, "ResourceInUseException")
	s.is("a")
}

func describeMissing(s *scene) {
	_, err := s.Admin.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: aws.String(s.items + "-missing")})
	s.refused("describing a missing table", err, missing)
	_, err = s.Admin.DeleteTable(s.ctx, &dynamodb.DeleteTableInput{TableName: aws.String(s.items + "-missing")})
	s.refused("deleting a missing table", err, missing)
}

func describeTable(s *scene) {
	out, err := s.Admin.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: &s.items})
	s.done("describing the table", err)
	asked := s.itemsTable()
	s.same("the status", types.TableStatusActive, out.Table.TableStatus)
	s.same("the key", schema(asked.KeySchema), schema(out.Table.KeySchema))
	s.same("the number of indexes", len(asked.GlobalSecondaryIndexes), len(out.Table.GlobalSecondaryIndexes))
	described := map[string]types.GlobalSecondaryIndexDescription{}
	for _, index := range out.Table.GlobalSecondaryIndexes {
		described[aws.ToString(index.IndexName)] = index
	}
	for _, index := range asked.GlobalSecondaryIndexes {
		got := described[*index.IndexName]
		if got.Projection == nil {
			s.differs("the index %s is not described", *index.IndexName)
		}
		s.same("the key of the index", schema(index.KeySchema), schema(got.KeySchema))
		s.same("the projection of the index", index.Projection.ProjectionType, got.Projection.ProjectionType)
		s.same("the attributes of the index", texts(index.Projection.NonKeyAttributes...), texts(got.Projection.NonKeyAttributes...))
	}
}

func schema(elements []types.KeySchemaElement) (key []string) {
	for _, e := range elements {
		key = append(key, aws.ToString(e.AttributeName)+" "+string(e.KeyType))
	}
	return key
}

// expiry is the attribute of the time to live.
const expiry = "expires"

// timeToLive uses the table that no other case expects to be without it. It can be set only once in an hour.
func timeToLive(s *scene) {
	_, err := s.Admin.UpdateTimeToLive(s.ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &s.vault,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(expiry), Enabled: aws.Bool(true)},
	})
	s.done("setting the time to live", err)
	out, err := s.Admin.DescribeTimeToLive(s.ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &s.vault})
	s.done("describing the time to live", err)
	if out.TimeToLiveDescription == nil {
		s.differs("the time to live is not described")
	}
	status := out.TimeToLiveDescription.TimeToLiveStatus
	if status != types.TimeToLiveStatusEnabled && status != types.TimeToLiveStatusEnabling {
		s.differs("the status of the time to live is %s", status)
	}
	s.same("the attribute", expiry, aws.ToString(out.TimeToLiveDescription.AttributeName))
}

func expiring(s *scene) {
	s.put("a", expiry, 4102444800) // in 2100
	s.is("a", expiry, 4102444800)
}
