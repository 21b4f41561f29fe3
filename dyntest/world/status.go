package world

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// statuses are those of the hotels, in percent.
var statuses = []share[properties.Status]{
	{pendingPercent, properties.Pending}, {rejectedPercent, properties.Rejected}, {suspendedPercent, properties.Suspended},
	{100 - pendingPercent - rejectedPercent - suspendedPercent, properties.Approved},
}

const (
	pendingPercent   = 4
	rejectedPercent  = 1
	suspendedPercent = 1
)

// first returns the status with which a hotel is created that later has a status.
func first(s properties.Status) properties.Status {
	if s == properties.Pending || s == properties.Rejected {
		return properties.Pending
	}
	return properties.Approved
}

// setStatus rejects or suspends the property, as the updates by the repository do.
func (c *cell) setStatus(m *made, status properties.Status) error {
	p := m.property
	for _, put := range c.capture.puts {
		if put.schema == keys.PropertiesTable {
			hide(put.item)
		}
	}
	key, err := keys.Of(keys.Property{PropertyID: p.ID})
	if err != nil {
		return err
	}
	c.capture.find(keys.PropertiesTable, key)[keys.AttrStatus] = dynastay.Text(string(status))
	p.Status = status
	if status == properties.Suspended {
		return c.closeSales(p)
	}
	return nil
}

// hide removes the index keys that an item has only while the property has a certain status.
func hide(item dynastay.Item) {
	for _, index := range keys.PropertiesTable.Indexes {
		if index.Name != keys.OwnerIndex && index.Name != keys.SlugIndex {
			delete(item, index.Key.Partition)
			delete(item, index.Key.Sort)
		}
	}
}

// closeSales closes the guards of the room types and marks all nights.
func (c *cell) closeSales(p *properties.WithRooms) error {
	for _, room := range p.Rooms {
		key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: room.ID})
		if err != nil {
			return err
		}
		// The repository generates the rest of the id, so that a later closing has another one.
		c.capture.find(keys.PropertiesTable, key)[keys.AttrClosed] = dynastay.Text(keys.ClosedByStatus + p.ID)
	}
	for _, night := range c.nights {
		night[keys.AttrPropertyClosed] = &types.AttributeValueMemberBOOL{Value: true}
		night["LastUpdated"] = dynastay.Instant(c.now)
	}
	return nil
}
