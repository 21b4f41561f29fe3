package provision

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// CreateTableInput returns the request that creates the table, for callers who create tables in another way. The time to
// live, point-in-time recovery and replicas need requests of their own.
func (t Table) CreateTableInput() *dynamodb.CreateTableInput {
	s := t.Settings
	in := &dynamodb.CreateTableInput{
		TableName:                 &t.Name,
		KeySchema:                 keySchema(t.Schema.Key),
		BillingMode:               types.BillingModePayPerRequest,
		DeletionProtectionEnabled: aws.Bool(!s.Deletable),
		SSESpecification:          s.encryption(),
		OnDemandThroughput:        s.Maximum.onDemand(),
		WarmThroughput:            s.Warm.warm(),
	}
	if s.Provisioned != nil {
		in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, s.throughput("")
	}
	if t.streamed() {
		in.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Tags)) {
		in.Tags = append(in.Tags, types.Tag{Key: &k, Value: aws.String(s.Tags[k])})
	}
	for _, index := range t.Schema.Indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(index.Name), KeySchema: keySchema(index.Key), Projection: projection(index),
			ProvisionedThroughput: s.throughput(index.Name), OnDemandThroughput: s.Maximum.onDemand(), WarmThroughput: s.Warm.warm(),
		})
	}
	in.AttributeDefinitions = t.attributes()
	return in
}

// streamed reports whether the table must have a stream. DynamoDB adds no replica to a table without one.
func (t Table) streamed() bool { return t.Schema.Stream || len(t.Settings.Replicas) > 0 }

// attributes are the definitions of all key attributes, each once.
func (t Table) attributes() (all []types.AttributeDefinition) {
	defined := map[string]bool{"": true} // a key without a sort attribute
	define := func(n dynastay.KeyNames) {
		for _, attribute := range []string{n.Partition, n.Sort} {
			if !defined[attribute] {
				defined[attribute] = true
				all = append(all, types.AttributeDefinition{AttributeName: &attribute, AttributeType: types.ScalarAttributeTypeS})
			}
		}
	}
	define(t.Schema.Key)
	for _, index := range t.Schema.Indexes {
		define(index.Key)
	}
	return all
}

func keySchema(n dynastay.KeyNames) []types.KeySchemaElement {
	key := []types.KeySchemaElement{{AttributeName: &n.Partition, KeyType: types.KeyTypeHash}}
	if n.Sort != "" {
		key = append(key, types.KeySchemaElement{AttributeName: &n.Sort, KeyType: types.KeyTypeRange})
	}
	return key
}

func projection(i dynastay.Index) *types.Projection {
	switch i.Project {
	case dynastay.ProjectKeys:
		return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	case dynastay.ProjectInclude:
		return &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: i.Include}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeAll}
}

func (s Settings) encryption() *types.SSESpecification {
	e := &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms}
	if s.KMSKey != "" {
		e.KMSMasterKeyId = &s.KMSKey
	}
	return e
}

// throughput is the provisioned capacity with which a table, for "", or an index begins; nil on demand.
func (s Settings) throughput(index string) *types.ProvisionedThroughput {
	if s.Provisioned == nil {
		return nil
	}
	c := s.Provisioned.Of(index)
	return &types.ProvisionedThroughput{ReadCapacityUnits: &c.Read.Min, WriteCapacityUnits: &c.Write.Min}
}

func (u Units) onDemand() *types.OnDemandThroughput {
	if u == (Units{}) {
		return nil
	}
	return &types.OnDemandThroughput{MaxReadRequestUnits: orNone(u.Read), MaxWriteRequestUnits: orNone(u.Write)}
}

func (u Units) warm() *types.WarmThroughput {
	if u == (Units{}) {
		return nil
	}
	return &types.WarmThroughput{ReadUnitsPerSecond: orNone(u.Read), WriteUnitsPerSecond: orNone(u.Write)}
}

func orNone(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
