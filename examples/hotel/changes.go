package main

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

var weekend = availability.On(time.Friday, time.Saturday)

// changes are what the hotelier decides about the month. A later change overrides the earlier ones.
func changes() []availability.Change {
	all := []string{queen, king, single}
	singles := dynastay.Stay{CheckIn: singleSeason.CheckIn, CheckOut: month.CheckOut} // only open nights can be changed
	return []availability.Change{
		{RoomTypeIDs: []string{queen}, Dates: month, Price: usd("219.00")},
		{RoomTypeIDs: []string{queen}, Dates: month, Weekdays: weekend, Price: usd("249.00")},
		{RoomTypeIDs: []string{king}, Dates: month, Price: usd("289.50")},
		{RoomTypeIDs: []string{king}, Dates: month, Weekdays: weekend, Price: usd("335.00")},
		{RoomTypeIDs: []string{single}, Dates: singles, Price: usd("149.00")},
		{RoomTypeIDs: []string{single}, Dates: singles, Weekdays: weekend, Price: usd("165.00")},

		{RoomTypeIDs: all, Dates: singles, Weekdays: availability.On(time.Friday), MinStay: aws.Int(2)},
		{RoomTypeIDs: all, Dates: singles, Weekdays: availability.On(time.Sunday), ClosedToArrival: aws.Bool(true)},
		{RoomTypeIDs: all, Dates: dynastay.MustStay("2026-06-27", "2026-06-28"), ClosedToDeparture: aws.Bool(true)},
		{
			RoomTypeIDs: []string{king}, Dates: dynastay.MustStay("2026-06-16", "2026-06-19"),
			StopSell: aws.Bool(true), StopSellReason: "the king studios are being painted",
		},
		{
			// Three queen rooms have no water, and more are sold than remain.
			RoomTypeIDs: []string{queen}, Dates: dynastay.MustStay("2026-06-13", "2026-06-15"), Rooms: aws.Int(18), Overbook: 2,
		},
	}
}

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
