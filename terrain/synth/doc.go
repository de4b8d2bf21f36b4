// Package synth makes procedural worlds that look like land seen from the air:
// ranges with ridges and branching valleys, foothills, plains, flat valley
// floors, and a coast with bays, headlands and islands.
//
// # What is made
//
// Height 0 is sea level, and ground below it is the bed of the sea: a gentle
// shelf, its edge and the slope beyond. A map of 60 km has summits of 2500 to
// 3800 m and a sea some 250 m deep; relief goes with the square root of the
// extent up to 160 km, beyond which there is more land instead of higher land.
// The composition belongs to the extent in metres: the same extent at another
// number of samples is the same land, seen more or less sharply. No land sample
// lies below all its neighbours, so that every drop of rain reaches a sea.
//
// The same [Options] give the same samples on every machine and for any number
// of processors: results are frozen by a test. Products are rounded by explicit
// conversions, which keeps compilers from fusing them with sums; of package
// math only exact functions are used; parallel passes write rows that no other
// band reads, and all sums run in one fixed order.
//
// # How
//
// The outline is noise bent by noise: a coast, and two curved belts along it
// where the land rises. Water does the rest. A land that rises is cut by the
// stream power law (rate of cutting = K·√area·slope) with the implicit sweep of
// Braun and Willett (2013), which is stable for any time step, as Cordonnier
// and others (2016) do for scenery. Depressions are filled by a priority flood
// (Barnes, Lehman and Mulla 2014), whose order of visits also serves the sweeps;
// water leaves a cell by the steepest of eight triangles and is shared between
// two corners (Tarboton 1997) with a little chance in it (Fairfield and
// Leymarie 1991), so that no valley follows the grid. Slopes rest at an angle
// of talus found by an upwind solution of the eikonal equation, part of what is
// cut is laid down again downstream (after Davy and Lague 2009), rivers plane
// their valley floors, soil creeps. Then the sea rises and drowns valley mouths.
//
// This is done on a grid of less than 320 cells first, then on ever finer ones:
// each starts from a B-spline of the one before, bent a little and roughened
// where it is steep, and is eroded for fewer steps.
//
// # References
//
//   - J. Braun, S. Willett: A very efficient O(n), implicit and parallel method
//     to solve the stream power equation. Geomorphology 180-181, 2013.
//   - G. Cordonnier et al.: Large scale terrain generation from tectonic uplift
//     and fluvial erosion. Computer Graphics Forum 35(2), 2016.
//   - R. Barnes, C. Lehman, D. Mulla: Priority-flood: an optimal depression-
//     filling and watershed-labeling algorithm. Computers & Geosciences 62, 2014.
//   - D. Tarboton: A new method for the determination of flow directions and
//     upslope areas in grid digital elevation models. Water Resources Research
//     33(2), 1997.
//   - J. Fairfield, P. Leymarie: Drainage networks from grid digital elevation
//     models. Water Resources Research 27(5), 1991.
//   - P. Davy, D. Lague: Fluvial erosion/transport equation of landscape
//     evolution models revisited. Journal of Geophysical Research 114, 2009.
//   - K. Perlin: Improving noise. ACM Transactions on Graphics 21(3), 2002.
package synth
