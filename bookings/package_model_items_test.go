package bookings_test

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// verify compares every item of the bookings, the nights and the idempotency keys with the model.
func (w *world) verify() {
	items := map[string]map[string]any{}
	for _, b := range w.bookings {
		b.addItems(items)
		b.addMoney(items)
	}
	booked := w.stored(keys.BookingsTable)
	require.Equal(w.t, items, booked, "the stored bookings")

	nights := map[string]map[string]any{}
	for at, n := range w.nights {
		nights["ROOM#"+at.room+"/DATE#"+at.date.String()] = w.nightItem(at, n)
	}
	stored := w.stored(keys.AvailabilityTable)
	require.Equal(w.t, nights, stored, "the stored nights")
	for at, n := range w.nights {
		left := int(stored["ROOM#"+at.room+"/DATE#"+at.date.String()]["AvailableRooms"].(float64))
		require.Equal(w.t, n.total, w.sold(at)+left)
		require.True(w.t, left >= 0 || w.mayBeOver(at), "%v is oversold", at)
	}
	for _, h := range w.houses {
		open := dynastay.Stay{CheckIn: worldFirst, CheckOut: worldFirst.AddDays(worldNights)}
		require.NoError(w.t, w.programs[0].repo.VerifyNights(context.Background(), h.ID, open))
	}
	for _, id := range w.order {
		_, err := w.programs[0].repo.VerifyRow(context.Background(), dynastay.RowOf(raw.Get(w.t, w.db, bookingsTable, keyOf(id))))
		require.NoError(w.t, err)
	}

	used, codes := map[string]bool{}, map[string]map[string]any{}
	for key, item := range w.stored(keys.MetadataTable) {
		if item["EntityType"] == "PromoCode" {
			codes[key] = item
		} else {
			used[key] = true
		}
	}
	require.Equal(w.t, w.codeItems(), codes, "the stored promo codes")
	w.addsUp(booked, codes)
	records := map[string]bool{}
	for key := range w.records {
		records["IDEMPOTENCY#"+key+"/METADATA"] = true
	}
	require.Equal(w.t, records, used, "the stored idempotency keys")
}

// mayBeOver reports whether somebody has decided to sell more rooms of a night than there are.
func (w *world) mayBeOver(at nightAt) bool {
	if w.nights[at].lowered {
		return true
	}
	for _, b := range w.bookings {
		for _, l := range b.lines {
			for _, date := range l.overbooked {
				if b.takes() && l.RoomTypeID == at.room && date == at.date {
					return true
				}
			}
		}
	}
	return false
}

// stored reads a table, without what is different in every run.
func (w *world) stored(s *dynastay.Schema) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, row := range w.scan(s) {
		item := map[string]any{}
		require.NoError(w.t, attributevalue.UnmarshalMap(row.Item(), &item))
		switch item["EntityType"] {
		case "Booking", "Availability", "Payment", "PaymentAttempt", "Refund", "PromoCode":
			require.Contains(w.t, item, "WriteId")
		}
		delete(item, "WriteId")
		all[row.Text("PK")+"/"+row.Text("SK")] = item
	}
	return all
}

// stamp is the stored form of a time.
func stamp(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func amount(cents int64) float64 { return float64(cents) / 100 }

// nightItem is the stored form of a night.
func (w *world) nightItem(at nightAt, n worldNight) map[string]any {
	house := w.houseOf(at.room).ID
	item := map[string]any{
		"PK": "ROOM#" + at.room, "SK": "DATE#" + at.date.String(),
		"GSI1PK": "PROPERTY#" + house, "GSI1SK": "DATE#" + at.date.String() + "#ROOM#" + at.room,
		"EntityType": "Availability", "PropertyId": house, "RoomTypeId": at.room, "Date": at.date.String(),
		"AvailableRooms": float64(w.available(at)), "TotalRooms": float64(n.total),
		"PricePerNight": amount(n.cents), "Currency": "USD", "IsBlocked": n.stop,
		"LastUpdated": stamp(n.updated), "ExpiresAt": float64(at.date.Time().AddDate(2, 0, 0).Unix()),
	}
	for name, limit := range map[string]int{"MinStay": n.min, "MaxStay": n.max} {
		if limit > 0 {
			item[name] = float64(limit)
		}
	}
	for name, set := range map[string]bool{"ClosedToArrival": n.toArrival, "ClosedToDeparture": n.toEnd, "PropertyClosed": n.closed} {
		if set {
			item[name] = true
		}
	}
	return item
}

// sums returns the price of the rooms, the average of the nights of each line, and the policy that all lines share.
func (b worldBooking) sums() (rooms int, total int64, policy availability.CancellationPolicy) {
	policy = b.lines[0].CancellationPolicy
	for _, l := range b.lines {
		rooms += l.Quantity
		total += l.subtotal()
		if l.CancellationPolicy != policy {
			policy = ""
		}
	}
	return rooms, total, policy
}

// total returns what the booking costs.
func (b worldBooking) total() int64 {
	_, rooms, _ := b.sums()
	return rooms + b.taxes - b.discount + b.kept
}

func (l worldLine) subtotal() (cents int64) {
	for _, night := range l.cents {
		cents += night * int64(l.Quantity)
	}
	return cents
}

// average returns the price of a night, rounded half up.
func (l worldLine) average() int64 {
	n := int64(len(l.cents) * l.Quantity)
	return (2*l.subtotal() + n) / (2 * n)
}

// addItems adds the stored form of a booking: itself, its lines, and the guard of its reference.
func (b worldBooking) addItems(items map[string]map[string]any) {
	pk, suffix, rooms, total, policy := "BOOKING#"+b.id, "#BOOKING#"+b.id, 0, int64(0), availability.CancellationPolicy("")
	rooms, total, policy = b.sums()
	checkIn := "CHECKIN#" + b.stay.CheckIn.String()
	item := map[string]any{
		"PK": pk, "SK": "METADATA", "EntityType": "Booking", "BookingId": b.id, "BookingReference": b.reference,
		"GSI2PK": "PROPERTY#" + b.house.ID, "GSI2SK": checkIn + suffix,
		"GSI3PK": "STATUS#" + string(b.status), "GSI3SK": "CREATED#" + b.created.Format(time.RFC3339) + suffix,
		"GSI4PK": "REFERENCE#" + b.reference, "GSI4SK": "BOOKING",
		"PropertyId": b.house.ID, "PropertyName": b.house.Name, "TimeZone": b.house.TimeZone, "CheckInTime": b.house.CheckInTime,
		"CheckInDate": b.stay.CheckIn.String(), "CheckOutDate": b.stay.CheckOut.String(),
		"NumberOfNights": float64(b.stay.CheckIn.DaysUntil(b.stay.CheckOut)), "NumberOfRooms": float64(rooms),
		"NumberOfAdults": float64(rooms), "NumberOfChildren": float64(0), "Status": string(b.status), "PaymentStatus": string(b.paymentStatus()),
		"TotalAmount": amount(b.total()), "Currency": "USD",
		"PriceBreakdown": map[string]any{"RoomTotal": amount(total), "TaxesAndFees": amount(b.taxes), "Discounts": amount(b.discount)},
		"CreatedAt":      stamp(b.created), "UpdatedAt": stamp(b.updated), "Version": float64(b.version),
	}
	if b.anonymised.IsZero() {
		guest := b.guest()
		if b.user != "" {
			item["UserId"], item["GSI1PK"], item["GSI1SK"] = b.user, "USER#"+b.user, checkIn+suffix
		}
		item["GuestInfo"] = map[string]any{
			"FirstName": guest.FirstName, "LastName": guest.LastName, "Email": guest.Email, "Phone": guest.Phone, "Country": guest.Country,
		}
	}
	if b.takes() {
		item["GSI5PK"], item["GSI5SK"] = checkIn, "PROPERTY#"+b.house.ID+suffix
	}
	if b.status == bookings.Pending {
		item["GSI6PK"], item["GSI6SK"] = "HOLDS", "EXPIRES#"+b.holdEnd.Format(time.RFC3339)+suffix
	}
	if b.status == bookings.CheckedIn {
		item["GSI7PK"], item["GSI7SK"] = "HOUSE#"+b.house.ID, "OUT#"+b.stay.CheckOut.String()+suffix
	}
	for name, t := range map[string]time.Time{
		"HoldExpiresAt": b.holdEnd, "ConfirmedAt": b.confirmed, "CheckedInAt": b.arrived, "CheckedOutAt": b.left, "CancelledAt": b.cancelled,
		"AnonymisedAt": b.anonymised,
	} {
		if !t.IsZero() {
			item[name] = stamp(t)
		}
	}
	if b.kept > 0 {
		item["PriceBreakdown"].(map[string]any)["Kept"] = amount(b.kept)
	}
	if !b.policyFrom.IsZero() {
		item["PolicyCheckInDate"] = b.policyFrom.String()
	}
	if b.released != (dynastay.Stay{}) {
		item["ReleasedFrom"], item["ReleasedTo"] = b.released.CheckIn.String(), b.released.CheckOut.String()
	}
	setTo(item, "CancellationPolicy", string(policy))
	setTo(item, "CancellationReason", b.reason)
	setTo(item, "PromoCode", b.code)
	setTo(item, "Channel", b.source.Channel)
	setTo(item, "ExternalReference", b.source.ExternalReference)
	if b.data != nil {
		data := map[string]any{}
		for name, text := range b.data {
			data[name] = text
		}
		item["Data"] = data
	}
	items[pk+"/METADATA"] = item
	items["REFERENCE#"+b.reference+"/GUARD"] = map[string]any{
		"PK": "REFERENCE#" + b.reference, "SK": "GUARD", "EntityType": "Guard", "BookingId": b.id,
	}
	for _, l := range b.lines {
		items[pk+"/ROOM#"+l.RoomTypeID] = l.item(b)
	}
}

// setTo sets a text that is stored only if it is not empty.
func setTo(item map[string]any, name, text string) {
	if text != "" {
		item[name] = text
	}
}

// item is the stored form of a line.
func (l worldLine) item(b worldBooking) map[string]any {
	prices := map[string]any{}
	for i, cents := range l.cents {
		prices[b.stay.CheckIn.AddDays(i).String()] = amount(cents)
	}
	item := map[string]any{
		"PK": "BOOKING#" + b.id, "SK": "ROOM#" + l.RoomTypeID, "EntityType": "BookingRoom", "BookingId": b.id,
		"RoomTypeId": l.RoomTypeID, "RoomName": l.Name, "Quantity": float64(l.Quantity),
		"PricePerNight": amount(l.average()), "Subtotal": amount(l.subtotal()), "NightlyPrices": prices,
	}
	setTo(item, "CancellationPolicy", string(l.CancellationPolicy))
	var over, ids []any
	for _, date := range l.overbooked {
		over = append(over, date.String())
	}
	for _, id := range l.assigned {
		ids = append(ids, id)
	}
	if over != nil {
		item["OverbookedNights"] = over
	}
	switch len(ids) {
	case 0:
	case 1:
		item["RoomId"] = ids[0]
	default:
		item["RoomId"] = ids
	}
	return item
}

// want returns the booking as every read and every write returns it.
func (b worldBooking) want() *bookings.Booking {
	rooms, total, policy := b.sums()
	want := &bookings.Booking{
		Summary: bookings.Summary{
			ID: b.id, Reference: b.reference, UserID: b.user, PropertyID: b.house.ID, PropertyName: b.house.Name,
			Source: b.source, Guest: b.guest(), Stay: b.stay, Guests: availability.Guests{Adults: rooms}, Rooms: rooms,
			Status: b.status, PaymentStatus: b.paymentStatus(), Total: dollars(b.total()), HoldExpiresAt: b.holdEnd, CreatedAt: b.created,
		},
		Breakdown: bookings.Breakdown{Rooms: dollars(total), TaxesAndFees: dollars(b.taxes), Discounts: dollars(b.discount)},
		Data:      b.data, PromoCode: b.code, CancellationPolicy: policy, TimeZone: b.house.TimeZone, CheckInTime: b.house.CheckInTime,
		UpdatedAt: b.updated, ConfirmedAt: b.confirmed, CheckedInAt: b.arrived, CheckedOutAt: b.left, CancelledAt: b.cancelled,
		CancellationReason: b.reason, Released: b.released, AnonymisedAt: b.anonymised, Version: b.version, PolicyCheckIn: b.policyFrom,
	}
	if b.kept > 0 {
		want.Breakdown.Kept = dollars(b.kept)
	}
	for _, l := range b.lines {
		line := bookings.Line{
			Line: availability.Line{
				RoomTypeID: l.RoomTypeID, Name: l.Name, Quantity: l.Quantity, CancellationPolicy: l.CancellationPolicy,
				Subtotal: dollars(l.subtotal()), Overbooked: l.overbooked,
			},
			BookingID: b.id, RoomIDs: l.assigned, PricePerNight: dollars(l.average()),
		}
		for i, cents := range l.cents {
			line.Nights = append(line.Nights, availability.NightPrice{Date: b.stay.CheckIn.AddDays(i), Price: dollars(cents)})
		}
		want.Lines = append(want.Lines, line)
	}
	return want
}
