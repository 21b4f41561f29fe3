package key_test

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Guest is the item of a guest: GUEST#{GuestID} / PROFILE.
type Guest struct{ GuestID string }

func (k *Guest) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
	f.SK("PROFILE")
}

// Visit is the item of a visit, in the partition of its guest: GUEST#{GuestID} / DAY#{Day}#VISIT#{VisitID}.
type Visit struct {
	GuestID string
	Day     dynastay.Date
	VisitID string
}

func (k *Visit) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
	f.SK("DAY#", key.Date("Day", &k.Day), "#VISIT#", key.ID("VisitID", &k.VisitID))
}

// Two keys of a service's own table.
func Example() {
	guest, err := key.Of(Guest{GuestID: "guest_4"})
	fmt.Println(guest, err)

	visit := Visit{GuestID: "guest_4", Day: dynastay.MustDate("2025-01-15"), VisitID: "visit_1"}
	stored, err := key.Of(visit)
	fmt.Println(stored, err)

	back, err := key.Parse[Visit](stored)
	fmt.Println(back == visit, err)

	// A different spelling of the day is not a key. Otherwise it would be a second item for the same visit.
	_, err = key.Parse[Visit](dynastay.Key{PK: "GUEST#guest_4", SK: "DAY#2025-1-15#VISIT#visit_1"})
	fmt.Println(err)

	// An id cannot forge another key.
	_, err = key.Of(Guest{GuestID: "guest_4#VIP"})
	fmt.Println(err)

	// The guest's visits from that day on, before February: a Query with BETWEEN these bounds.
	from, err := key.SortPrefix(visit)
	fmt.Println(from, err)
	to, err := key.SortPrefix(Visit{Day: dynastay.MustDate("2025-02-01")})
	fmt.Println(to, err)

	// Output:
	// GUEST#guest_4/PROFILE <nil>
	// GUEST#guest_4/DAY#2025-01-15#VISIT#visit_1 <nil>
	// true <nil>
	// Visit GUEST#guest_4/DAY#2025-1-15#VISIT#visit_1: unreadable item: sort key: invalid Day: must be a valid date in the form YYYY-MM-DD, got "2025-1-15"
	// invalid GuestID: must not contain '#'
	// DAY#2025-01-15#VISIT# <nil>
	// DAY#2025-02-01#VISIT# <nil>
}

// Shelter is the row of a shelter in an index by place: SHELTERS#{Cell} / {Geohash}#SHELTER#{ShelterID}.
type Shelter struct{ Cell, Geohash, ShelterID string }

func (k *Shelter) Form(f *key.Form) {
	f.PK("SHELTERS#", key.Cell("Cell", &k.Cell))
	f.SK(key.Geohash("Geohash", &k.Geohash, 9), "#SHELTER#", key.ID("ShelterID", &k.ShelterID))
}

// The queries for the shelters within 100 m of a point. The ranges contain a little more than the circle, so compare the
// distance of each shelter that they find.
func ExampleCover() {
	center := key.Point{Latitude: 40.7589, Longitude: -73.9851}
	ranges, err := key.Cover(center, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range ranges {
		partition, err := key.Partition(Shelter{Cell: r.Cell})
		if err != nil {
			fmt.Println(err)
			return
		}
		query := dynastay.Query{Partition: partition, Range: dynastay.Range{From: r.From, To: r.To}}
		fmt.Println(query.Partition, query.Range.From, query.Range.To)
	}

	_, err = key.Cover(center, 250_000)
	fmt.Println(err)

	// Output:
	// SHELTERS#dr5 dr5ru7ufs dr5ru7uh
	// SHELTERS#dr5 dr5ru7uu dr5ru7w
	// SHELTERS#dr5 dr5ru7y08 dr5ru7y8
	// SHELTERS#dr5 dr5ru7ye8 dr5ru7yxh
	// SHELTERS#dr5 dr5rukhbh dr5rukhc
	// SHELTERS#dr5 dr5rukj dr5rukjg8
	// SHELTERS#dr5 dr5rukn dr5rukn4s
	// invalid Radius: must be between 100 and 100,000 metres
}

func ExampleDistance() {
	suva, apia := key.Point{Latitude: -18.1248, Longitude: 178.4501}, key.Point{Latitude: -13.8507, Longitude: -171.7514}
	fmt.Printf("%.0f km\n", key.Distance(suva, apia)/1000)
	// Output: 1150 km
}
