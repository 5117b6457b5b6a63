# Sums up TAP, of one or several programs one after the other, on the input.
#
# Prints "passed failed skipped", then one line for each failure. A plan that was
# not kept, a program that bailed out or died and a test that was only promised
# (TODO) must not look like success. -v status=N is the exit code of what wrote it.

function fail(message)
{
	failed++
	failures = failures "\n" message
}

/^1\.\.0/ {
	plans++
	skipped++
	next
}

/^1\.\.[0-9]+/ {
	plans++
	split($1, plan, /\.\./)
	planned += plan[2]
	next
}

# prove prints a bare "ok" after each file: not a test.
/^not ok( |$)/ || /^ok( +[0-9]+| +-)/ {
	seen++
	directive = toupper($0)
	if (directive ~ /# *(SKIP|TODO)/)
		skipped++
	else if ($1 == "not")
		fail($0)
	else
		passed++
	next
}

/^Bail out!/ {
	fail($0)
}

END {
	if (plans == 0)
		fail("no TAP plan: died early?")
	else if (planned != seen)
		fail("planned " planned + 0 " tests, ran " seen + 0)
	if (status != 0 && failed == 0)
		fail("exit code " status)
	print passed + 0, failed + 0, skipped + 0
	if (failures != "")
		print substr(failures, 2)
}
