package key_test

import (
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

func BenchmarkOf(b *testing.B) {
	k := Visit{"guest_4", dynastay.MustDate("2025-01-15"), "visit_1"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := key.Of(k); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	stored := dynastay.Key{PK: "GUEST#guest_4", SK: "DAY#2025-01-15#VISIT#visit_1"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := key.Parse[Visit](stored); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCover(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := key.Cover(key.Point{Latitude: 40.7589, Longitude: -73.9851}, 10_000); err != nil {
			b.Fatal(err)
		}
	}
}
