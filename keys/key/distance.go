package key

import "math"

// Point is a location in decimal degrees.
type Point struct {
	Latitude  float64 // -90 to 90
	Longitude float64 // -180 to 180
}

// earthRadius is the mean radius of the Earth in metres.
const earthRadius = 6_371_008.8

// Distance returns the great-circle distance of two points in metres, on a sphere with the mean radius of the Earth. On
// the real Earth, which is slightly flattened, the distance differs by up to 0.6 %. The result is meaningless if a
// coordinate is out of range.
func Distance(a, b Point) float64 {
	latitudes := cosine(a.Latitude) * cosine(b.Latitude)
	across := radians(math.Remainder(b.Longitude-a.Longitude, 360)) / 2
	// The haversine formula alone is inexact for points that are almost opposite each other. So this is half the chord
	// to b, and half the chord to the point opposite b: the sine and the cosine of half the angle.
	sin := math.Hypot(math.Sin(radians(b.Latitude-a.Latitude)/2), math.Sqrt(latitudes)*math.Sin(across))
	cos := math.Hypot(math.Sin(radians(b.Latitude+a.Latitude)/2), math.Sqrt(latitudes)*math.Cos(across))
	return 2 * earthRadius * math.Atan2(sin, cos)
}

// cosine returns the cosine of a latitude in degrees. It is exactly 0 at the poles, where all longitudes are the same
// point.
func cosine(latitude float64) float64 { return math.Sin(radians(90 - math.Abs(latitude))) }

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }
