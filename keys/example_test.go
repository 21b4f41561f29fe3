package keys_test

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

func Example() {
	night := keys.Night{RoomTypeID: "room_789", Date: dynastay.MustDate("2025-01-15")}
	key, err := keys.Of(night)
	if err != nil {
		panic(err)
	}
	fmt.Println(key)

	back, err := keys.Parse[keys.Night](key)
	fmt.Println(back == night, err)

	// An id cannot forge another key.
	_, err = keys.Of(keys.Property{PropertyID: "prop_123#SHARD#1"})
	fmt.Println(err)

	// Output:
	// ROOM#room_789/DATE#2025-01-15
	// true <nil>
	// invalid PropertyID: must not contain '#'
}

// The properties of a city with a guest rating of at least 8.0 and below 9.0: a Query with BETWEEN these bounds.
func ExampleSortPrefix() {
	row := keys.PropertyByCity{City: "New York", Country: "USA", Rating: 80}
	partition, err := keys.Partition(row)
	if err != nil {
		panic(err)
	}
	from, err := keys.SortPrefix(row)
	if err != nil {
		panic(err)
	}
	to, err := keys.SortPrefix(keys.PropertyByCity{Rating: 90})
	if err != nil {
		panic(err)
	}
	fmt.Printf("GSI1PK = %s AND GSI1SK BETWEEN %s AND %s\n", partition, from, to)

	// Output:
	// GSI1PK = CITY#New York#USA AND GSI1SK BETWEEN RATING#08.0#PROPERTY# AND RATING#09.0#PROPERTY#
}

// The room types of a property are stored among its other items: a Query with begins_with.
func ExampleSortKind() {
	partition, err := keys.Partition(keys.RoomType{PropertyID: "prop_123"})
	if err != nil {
		panic(err)
	}
	fmt.Printf("PK = %s AND begins_with(SK, %s)\n", partition, keys.SortKind[keys.RoomType]())

	// Output:
	// PK = PROPERTY#prop_123 AND begins_with(SK, ROOM#)
}
