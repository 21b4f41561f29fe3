// Package world generates a hotel platform: hotels in real cities with their rooms, images, amenities, nights and
// prices, users and their bookings, and the catalogues. A test or a demonstration loads it into tables in one call:
//
//	w := world.New(world.Options{Seed: 1, Properties: 100})
//	db := dyntest.New(t, dyntest.At(w.Now()))
//	err := w.Load(t.Context(), db.DB, nil)
//
//	hotel := w.Hotel(7)
//	ask, ok := hotel.Offer(2, 1) // two nights, one room, the first that is free
//	quote, err := availability.New(db.DB).Quote(t.Context(), ask)
//
// A world is determined by its [Options] alone: equal options make equal items, on every machine. A World stores
// nothing, and every part of it can be made on its own. So a world of a million hotels is made as quickly as one of
// ten, and a test knows what must be stored for any hotel.
//
// # Contents
//
// The repositories themselves make the items, at times and with ids that the world chooses. They are therefore exactly
// the items that a service would have written with the same calls: every key and index, the guards, the cards, exact
// amounts. Only what updates of other items change is changed by the world itself: nights that are sold, returned or
// restricted, the primary image of a property, and its status. A test compares the items with those that the
// repositories write.
//
//	prop_000042           a hotel: one to three room types; 4 % are pending, 1 % rejected and 1 % suspended
//	room_000042_1         a room type; one to four of its rooms are on sale every night that has no stop-sell
//	img_000042_01         an image of the hotel; it has 3 to 12, of which one is primary; there is nothing at the URL
//	user_000017           a user; every tenth may own hotels
//	bkg_000042_0003       a booking that was created in the 60 days before Today; the last number is its position in the
//	                      order of creation at the hotel
//	pay_000042_0003_1     a payment of that booking; there may be several
//	re_000042_0003        the refund of that booking
//	CITY-000042           the promo code of the hotel; 40 % of the hotels with nights have one
//
// Hotels that are pending or rejected have no nights. A suspended hotel was suspended at the start of Today, after its
// last booking: it keeps its bookings, and all its nights are marked as closed. So [Hotel.Offer] returns offers of
// approved hotels only.
//
// The catalogue of amenities has every amenity of a hotel, and that of locations every city, with a few other names
// such as NYC. They are the same in all worlds, see [World.Amenities] and [World.Locations].
//
// Some hotels open their Fridays and Saturdays with a minimum stay. After the last booking, at the start of Today, the
// hotels change a few nights: about 5 % have a stop-sell with a reason, on one to four nights in a row, and 2 or 3 %
// each are closed to arrival, are closed to departure, or have a minimum stay or a maximum stay. A stop-sell does not
// undo sales, so most of these nights are partly sold. The other restrictions contradict no booking. A world with
// [Options].Empty has no such changes.
//
// # Bookings
//
// The statuses of the bookings are those at [World.Now], 12:00 UTC on Today. The shares are those of a world with the
// default Nights and Occupancy:
//
//	confirmed   83.5 %  since the booking was created
//	cancelled   12.5 %  with a reason, between the creation and the start of Today
//	expired      2 %    before Today, one to two minutes after the end of a hold that was not paid for
//	pending      1.5 %  with a hold of one to five days, which ends after Now and before the date of check-in
//	checked in   0.5 %  with rooms such as "101"
//
// The rooms of bookings that were cancelled or have expired are on sale again, and nobody else has booked them. A
// pending booking was created in the last five days. Guests who arrive on Today check in within eight hours of the
// hotel's check-in time. At Now, it is that late only in Europe and east of it, and some of the guests have not arrived
// yet. No stay begins before Today, so no booking is completed or a no-show.
//
// Reviews are not generated, so all hotels are unrated.
//
// # Payments and promo codes
//
// The payments of the bookings are those that providers have reported until Now. Guests pay by card or with PayPal,
// within a few minutes of the booking. In 9 % of the bookings, one or two payments failed before.
//
//	confirmed, checked in  30 % authorized and captured within three days, 45 % paid at once, 10 % authorized only, and
//	                       15 % a deposit of 30 %: guests who have checked in have paid the rest then
//	pending                70 % a bank transfer that has begun, 30 % a card that was declined
//	cancelled              as confirmed; an authorization is released, and what is due by the policies is refunded. The
//	                       provider reports within three days that the refund has been made; until then, it is pending
//	expired                none
//
// Where no policy was agreed, the refund is full until check-in. A test that cancels such bookings with a refund needs
// these terms too, see Options.Terms of package bookings.
//
// A promo code gives a percentage, of which half have a largest discount, or a fixed amount. It is valid from 20 to 60
// days before Today; 20 % of the codes ended in the 15 days before Today, 15 % were deactivated at the start of Today,
// and most have a limit, which may be reached. 30 % of the guests who can use the code of their hotel for two nights or
// more do, and some of them type it with lower-case letters. UsageCount is the number of bookings with the code that
// were not cancelled and have not expired. A world with [Options].Empty has the codes, without any uses.
//
// # Large worlds
//
// The engine limits the speed of [World.Load]. 10,000 hotels with 30 nights are 2.1 million items. They take about 5 GB
// of memory in either local engine, and 30 MB in the program. dynoxide 1.2.1 becomes slower with every record of a
// stream, so examples/world loads into tables without streams. The tables of a test have none either.
package world
