package availability

// NightEntity is the stored form of a night.
var NightEntity = newEntity()
