package views

// A boxRow is a row of boxes side by side.
type boxRow struct {
	height int
	boxes  []int
}

const (
	pairMinWidth  = 72 // from which on two boxes stand side by side
	tripleMinSize = 150
	chartMin      = 7  // lines of a box with a chart
	moreMinHeight = 28 // from which on maintenance and changes have boxes
)

// layoutOverview returns the rows of boxes for a size: services and incidents on top, the load below, Object Storage at
// the bottom. A larger screen adds maintenance and the last changes.
func layoutOverview(width, height int) []boxRow {
	switch {
	case width < pairMinWidth:
		return stackedLayout(height)
	case width < tripleMinSize || height < moreMinHeight:
		return pairLayout(height)
	}
	return tripleLayout(height)
}

// stackedLayout is for narrow screens: one box below the other, without charts.
func stackedLayout(height int) []boxRow {
	foot, lines := 0, 0
	if height >= 14 {
		foot = 4
	}
	if height >= 18 {
		lines = 2
	}
	top := (height - foot - lines) / 2
	rows := []boxRow{
		{height: top, boxes: []int{servicesBox}},
		{height: height - foot - lines - top, boxes: []int{incidentsBox}},
	}
	for n := range lines {
		rows = append(rows, boxRow{height: 1, boxes: []int{firstMetricBox + n}})
	}
	if foot > 0 {
		rows = append(rows, boxRow{height: foot, boxes: []int{storageBox}})
	}
	return rows
}

// pairLayout has two boxes in each row.
func pairLayout(height int) []boxRow {
	top, foot, more := 6, 4, 0
	if height < top+foot {
		top, foot = height, 0
	}
	if height >= moreMinHeight {
		more = 6
	}
	room := height - top - foot - more
	rows := []boxRow{{boxes: []int{servicesBox, incidentsBox}}}
	if more > 0 {
		rows = append(rows, boxRow{height: more, boxes: []int{maintenanceBox, changesBox}})
	}
	first, second := []int{firstMetricBox, firstMetricBox + 1}, []int{firstMetricBox + 2, firstMetricBox + 3}
	switch {
	case room >= 2*chartMin:
		upper := min(room/2, 10)
		rows = append(rows, boxRow{height: upper, boxes: first}, boxRow{height: upper, boxes: second})
		room -= 2 * upper
	case room > chartMin:
		charts := min(room-1, chartMin+1)
		rows = append(rows, boxRow{height: charts, boxes: first}, boxRow{height: 1, boxes: second})
		room -= charts + 1
	case room >= 2:
		rows = append(rows, boxRow{height: 1, boxes: first}, boxRow{height: 1, boxes: second})
		room -= 2
	}
	rows[0].height = top + room
	if foot > 0 {
		rows = append(rows, boxRow{height: foot, boxes: []int{storageBox}})
	}
	return rows
}

// tripleLayout has three boxes in the first row, and all charts.
func tripleLayout(height int) []boxRow {
	top, foot := min(12, height/4), min(7, height/5)
	charts := height - top - foot
	rows := []boxRow{{height: top, boxes: []int{servicesBox, incidentsBox, maintenanceBox}}}
	if charts >= 2*chartMin {
		rows = append(rows,
			boxRow{height: charts / 2, boxes: []int{firstMetricBox, firstMetricBox + 1}},
			boxRow{height: charts - charts/2, boxes: []int{firstMetricBox + 2, firstMetricBox + 3}})
	} else {
		rows = append(rows, boxRow{height: charts, boxes: []int{
			firstMetricBox, firstMetricBox + 1, firstMetricBox + 2, firstMetricBox + 3,
		}})
	}
	return append(rows, boxRow{height: foot, boxes: []int{changesBox, storageBox}})
}
