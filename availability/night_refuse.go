package availability

import "github.com/dynastay/dynastay"

// refuse applies the conditions of a sale to one night of a stay; an agreed line has no restrictions. night is nil if it has
// no item. The quantity of the line is what the sale needs of the rooms that are left, 0 if it returns as many. overbook is the
// number of rooms by which the night may be overbooked after the sale. The verdict explains; what decides is the condition of
// the write, see prepareTake, which must have the same rules.
func refuse(propertyID string, line Line, overbook int, stay dynastay.Stay, date dynastay.Date, night *Night) []RefusedNight {
	because := func(reason Reason) RefusedNight {
		return RefusedNight{RoomTypeID: line.RoomTypeID, Date: date, Reason: reason}
	}
	if night == nil || night.PropertyID != propertyID {
		return []RefusedNight{because(NotOnSale)}
	}
	var all []RefusedNight
	if night.StopSell && !line.Agreed {
		all = append(all, because(StopSell))
	}
	if night.PropertyClosed {
		all = append(all, because(PropertyClosed))
	}
	if line.Quantity > 0 && night.Available+overbook < line.Quantity {
		soldOut := because(SoldOut)
		soldOut.Left = max(0, night.Available)
		all = append(all, soldOut)
	}
	if line.Agreed {
		return all
	}
	return append(all, allRulesOf(stay, date).broken(line.RoomTypeID, stay, night)...)
}
