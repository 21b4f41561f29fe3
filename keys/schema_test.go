package keys_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
)

func TestTablesHaveTheirNames(t *testing.T) {
	card := []string{"Card"}
	summary := []string{
		"BookingReference", "UserId", "PropertyId", "PropertyName", "Channel", "ExternalReference", "GuestInfo", "CheckInDate", "CheckOutDate",
		"NumberOfAdults", "NumberOfChildren", "NumberOfRooms", "Status", "PaymentStatus", "TotalAmount", "Currency",
		"HoldExpiresAt", "CreatedAt",
	}
	type index struct {
		name    string
		project dynastay.Projection
		include []string
	}
	type table struct {
		name    string
		ttl     string
		stream  bool
		indexes []index
	}
	all, keysOnly, include := dynastay.ProjectAll, dynastay.ProjectKeys, dynastay.ProjectInclude
	want := []table{
		{"Properties", "", true, []index{
			{"GSI1-LocationIndex", include, card},
			{"GSI2-GeoIndex", include, card},
			{"GSI3-OwnerIndex", include, []string{"Card", "Status"}},
			{"GSI4-TypeRatingIndex", include, card},
			{"GSI5-FeaturedIndex", include, card},
			{"GSI6-SlugIndex", keysOnly, nil},
			{"GSI7-PriceIndex", include, card},
			{"GSI8-RatingIndex", include, card},
			{"GSI9-AmenitiesIndex", keysOnly, nil},
			{"GSI10-GeohashIndex", include, card},
			{"GSI11-StatusIndex", include, card},
		}},
		{"Availability", "ExpiresAt", false, []index{
			{"GSI1-PropertyDateIndex", include, []string{
				"AvailableRooms", "TotalRooms", "OutOfOrder", "OverbookLimit", "PricePerNight", "Currency", "MinStay", "MaxStay",
				"IsBlocked", "PropertyClosed", "ClosedToArrival", "ClosedToDeparture", "Rates",
			}},
		}},
		{"Bookings", "", true, []index{
			{"GSI1-UserBookingsIndex", include, summary},
			{"GSI2-PropertyBookingsIndex", include, summary},
			{"GSI3-StatusIndex", include, summary},
			{"GSI4-ReferenceIndex", keysOnly, nil},
			{"GSI5-CheckInDateIndex", include, summary},
			{"GSI6-HoldIndex", keysOnly, nil},
			{"GSI7-HouseIndex", keysOnly, nil},
		}},
		{"Users", "", true, []index{
			{"GSI1-EmailIndex", all, nil},
		}},
		{"Reviews", "", true, []index{
			{"GSI1-PropertyReviewsIndex", all, nil},
			{"GSI2-UserReviewsIndex", all, nil},
			{"GSI3-StatusIndex", all, nil},
			{"GSI4-BookingReviewIndex", keysOnly, nil},
		}},
		{"Metadata", "ExpiresAt", false, nil},
	}
	var got []table
	for _, schema := range keys.Tables() {
		table := table{schema.Name, schema.TTL, schema.Stream, nil}
		for _, i := range schema.Indexes {
			table.indexes = append(table.indexes, index{i.Name, i.Project, i.Include})
		}
		got = append(got, table)
	}
	assert.Equal(t, want, got)
}

var indexNumber = regexp.MustCompile(`^(GSI[1-9][0-9]*)-[A-Z][A-Za-z]*Index$`)

func TestTablesHaveTheirKeys(t *testing.T) {
	for _, schema := range keys.Tables() {
		assert.Equal(t, dynastay.KeyNames{Partition: "PK", Sort: "SK"}, schema.Key, schema.Name)
		for _, index := range schema.Indexes {
			number := indexNumber.FindStringSubmatch(index.Name)
			if assert.Len(t, number, 2, index.Name) {
				assert.Equal(t, dynastay.KeyNames{Partition: number[1] + "PK", Sort: number[1] + "SK"}, index.Key)
			}
		}
	}
}

func TestTablesAreWithinTheLimitsOfDynamoDB(t *testing.T) {
	name := regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)
	for _, schema := range keys.Tables() {
		assert.Regexp(t, name, schema.Name)
		assert.LessOrEqual(t, len(schema.Indexes), 20, schema.Name)
		attributes := []string{schema.Key.Partition, schema.Key.Sort}
		var names []string
		projected := 0
		for _, index := range schema.Indexes {
			assert.Regexp(t, name, index.Name)
			names = append(names, index.Name)
			attributes = append(attributes, index.Key.Partition, index.Key.Sort)
			assert.Equal(t, index.Project == dynastay.ProjectInclude, len(index.Include) > 0, index.Name)
			assert.LessOrEqual(t, len(index.Include), 20, index.Name)
			assertUnique(t, index.Include)
			projected += len(index.Include)
		}
		assert.LessOrEqual(t, projected, 100, "repeats count")
		assertUnique(t, names)
		assertUnique(t, attributes)
		for _, index := range schema.Indexes {
			for _, attribute := range index.Include {
				assert.NotContains(t, attributes, attribute, "keys are projected anyway")
			}
		}
		for _, defined := range (provision.Table{Schema: schema, Name: schema.Name}).CreateTableInput().AttributeDefinitions {
			assert.Equal(t, types.ScalarAttributeTypeS, defined.AttributeType, *defined.AttributeName)
		}
	}
}

func assertUnique(t *testing.T, names []string) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(names))
	assert.Len(t, slices.Compact(sorted), len(names), "%q", names)
}
