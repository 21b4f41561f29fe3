// Package world generates a hotel platform: hotels in real cities with their rooms, amenities, nights and prices, users,
// and the bookings that these have made. A test or a demonstration loads it into tables in one call:
//
//	w := world.New(world.Options{Seed: 1, Properties: 100})
//	db := dyntest.New(t, dyntest.At(w.Now()))
//	err := w.Load(t.Context(), db.DB, nil)
//
//	hotel := w.Hotel(7)
//	ask, ok := hotel.Offer(2, 1) // two nights, one room, whatever is free first
//	quote, err := availability.New(db.DB).Quote(t.Context(), ask)
//
// A world follows from its [Options] alone: equal options are equal items, on every machine. Nothing is kept, every part
// can be made by itself, so a world of a million hotels is as quick to make as one of ten, and a test can say of any hotel
// what must be stored.
//
// # What is in it
//
// The items are made by the repositories themselves, at times and with ids that the world gives them. So they are those
// that a service would have written through the same calls: every key and index, the guards, the cards, exact amounts.
//
//	prop_000042           a hotel: one to three room types, four of a hundred still pending
//	room_000042_1         a room type, with one to four of its rooms on sale every night
//	user_000017           a user; every tenth may own hotels
//	bkg_000042_0003       a booking, numbered as they were made, in the 60 days before Today
//
// Reviews are not written yet, so all hotels are unrated, and nobody has cancelled or paid.
//
// # Large worlds
//
// [World.Load] goes as fast as the engine does. 10,000 hotels with 30 nights are 1.4 million items, and take about 4 GB of
// memory in either local engine, 30 MB in the program. dynoxide 1.2.1 becomes slower with every record of a stream, so
// examples/world loads into tables that have none, as those of a test are.
package world
