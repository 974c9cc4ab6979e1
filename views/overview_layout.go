package views

// A boxRow is a row of columns side by side.
type boxRow struct {
	height  int
	columns []boxColumn
}

// A boxColumn is a box, or two, one above the other.
type boxColumn struct {
	box    int
	height int // of the box if there is one below it; 0 is the height of the row
	below  int
}

// sideBySide returns a row of boxes.
func sideBySide(height int, boxes ...int) boxRow {
	row := boxRow{height: height}
	for _, box := range boxes {
		row.columns = append(row.columns, boxColumn{box: box})
	}
	return row
}

// boxLines is how many lines boxes could fill, by box.
type boxLines map[int]int

const (
	pairMinWidth  = 72 // from which on two boxes stand side by side
	tripleMinSize = 150
	chartMin      = 7  // lines of a box with a chart
	borders       = 2  // lines of a box around its content
	moreMinHeight = 28 // from which on maintenance and changes have boxes
)

// layoutOverview returns the rows of boxes for a size: services and incidents on top, the load below, Object Storage at
// the bottom. A larger screen adds maintenance and the last changes. Boxes with few lines leave room to the others.
func layoutOverview(width, height int, lines boxLines) []boxRow {
	switch {
	case width < pairMinWidth:
		return stackedLayout(height)
	case width < tripleMinSize || height < moreMinHeight:
		return pairLayout(height, lines)
	}
	return tripleLayout(height, lines)
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
		sideBySide(top, servicesBox),
		sideBySide(height-foot-lines-top, incidentsBox),
	}
	for n := range lines {
		rows = append(rows, sideBySide(1, firstMetricBox+n))
	}
	if foot > 0 {
		rows = append(rows, sideBySide(foot, storageBox))
	}
	return rows
}

// pairLayout has two boxes in each row.
func pairLayout(height int, lines boxLines) []boxRow {
	top, foot, more := 6, 4, 0
	if height < top+foot {
		top, foot = height, 0
	}
	if height >= moreMinHeight {
		more = borders + min(4, max(2, lines[maintenanceBox], lines[changesBox]))
	}
	const metrics = 2 // lines of the load, without charts
	top = max(top, min(borders+lines[incidentsBox], height-foot-more-metrics))
	room := height - top - foot - more
	rows := []boxRow{sideBySide(0, servicesBox, incidentsBox)}
	if more > 0 {
		rows = append(rows, sideBySide(more, maintenanceBox, changesBox))
	}
	first, second := []int{firstMetricBox, firstMetricBox + 1}, []int{firstMetricBox + 2, firstMetricBox + 3}
	switch {
	case room >= 2*chartMin:
		upper := min(room/2, 10)
		upper -= 1 - upper%2 // an axis with three labels takes an odd number of rows
		rows = append(rows, sideBySide(upper, first...), sideBySide(upper, second...))
		room -= 2 * upper
	case room > chartMin:
		charts := min(room-1, chartMin+1)
		rows = append(rows, sideBySide(charts, first...), sideBySide(1, second...))
		room -= charts + 1
	case room >= 2:
		rows = append(rows, sideBySide(1, first...), sideBySide(1, second...))
		room -= 2
	}
	if foot > 0 && room > 1 && more > 0 {
		foot, room = foot+1, room-1 // a line for the transfer
	}
	rows[0].height = top + room
	if foot > 0 {
		rows = append(rows, sideBySide(foot, storageBox))
	}
	return rows
}

// tripleLayout has three columns in the first row, two boxes in the outer ones, and all charts below.
func tripleLayout(height int, lines boxLines) []boxRow {
	changes, storage := borders+min(4, max(2, lines[changesBox])), borders+lines[storageBox]
	services := borders + max(3, lines[servicesBox])
	maintenance := borders + max(2, lines[maintenanceBox])
	incidents := borders + 2*lines[incidentsBox]
	top := min(max(services+changes, maintenance+storage, incidents), max(9, height/3))
	rows := []boxRow{{height: top, columns: []boxColumn{
		{box: servicesBox, height: min(services, top-borders-2), below: changesBox},
		{box: incidentsBox},
		{box: maintenanceBox, height: top - storage, below: storageBox},
	}}}
	if charts := height - top; charts >= 2*chartMin {
		return append(rows,
			sideBySide(charts/2, firstMetricBox, firstMetricBox+1),
			sideBySide(charts-charts/2, firstMetricBox+2, firstMetricBox+3))
	}
	return append(rows, sideBySide(height-top, firstMetricBox, firstMetricBox+1, firstMetricBox+2, firstMetricBox+3))
}
